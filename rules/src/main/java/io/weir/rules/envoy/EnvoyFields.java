package io.weir.rules.envoy;

import io.weir.rules.tree.Location;
import io.weir.rules.tree.TreeNode;
import io.weir.rules.tree.TreeNode.Mapping;
import io.weir.rules.tree.TreeNode.Scalar;
import io.weir.rules.tree.TreeNode.Scalar.Style;
import io.weir.rules.tree.TreeNode.Sequence;
import io.weir.rules.tree.YamlScalars;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * The fields of one map of a file for {@code envoyproxy/ratelimit}. A field without a value counts
 * as missing. A value of the wrong type is reported and ignored.
 */
record EnvoyFields(Location location, Mapping map) {
  boolean has(String name) {
    return value(name).isPresent();
  }

  int line(String name) {
    TreeNode.Field field = map.fields().get(name);
    return field == null ? map.line() : field.line();
  }

  private Optional<TreeNode> value(String name) {
    TreeNode.Field field = map.fields().get(name);
    boolean nothing =
        field == null
            || (field.value() instanceof Scalar scalar && scalar.style() == Style.NOTHING);
    return nothing ? Optional.empty() : Optional.of(field.value());
  }

  /** A text; numbers and flags are accepted as written. */
  String text(String name) {
    Optional<TreeNode> value = value(name);
    if (value.isPresent() && !(value.get() instanceof Scalar)) {
      wrong(name, "a text", value.get());
      return "";
    }
    return value.map(node -> ((Scalar) node).text()).orElse("");
  }

  boolean flag(String name) {
    Optional<TreeNode> value = value(name);
    if (value.isEmpty()) {
      return false;
    }
    if (value.get() instanceof Scalar scalar && scalar.style() == Style.BARE) {
      if (YamlScalars.isTrue(scalar.text()) || YamlScalars.isFalse(scalar.text())) {
        return YamlScalars.isTrue(scalar.text());
      }
    }
    wrong(name, "true or false", value.get());
    return false;
  }

  /** A whole number from {@code least} to {@code most}; empty if missing or invalid. */
  OptionalLong whole(String name, long least, long most) {
    Optional<TreeNode> value = value(name);
    if (value.isEmpty()) {
      return OptionalLong.empty();
    }
    OptionalLong number =
        value.get() instanceof Scalar scalar && scalar.style() == Style.BARE
            ? YamlScalars.whole(scalar.text())
            : OptionalLong.empty();
    if (number.isEmpty() || number.getAsLong() < least || number.getAsLong() > most) {
      wrong(name, "a whole number from " + least + " to " + most, value.get());
      return OptionalLong.empty();
    }
    return number;
  }

  /** A text converted by {@code reader}, which rejects it by throwing with the reason. */
  <T> Optional<T> read(String name, Function<String, T> reader) {
    return has(name)
        ? location.attempt(line(name), () -> reader.apply(text(name)))
        : Optional.empty();
  }

  /** The maps of a list; the schema check has reported items of other types. */
  List<EnvoyFields> maps(String name) {
    Optional<TreeNode> value = value(name);
    if (value.isPresent() && !(value.get() instanceof Sequence)) {
      wrong(name, "a list", value.get());
      return List.of();
    }
    return value.stream()
        .flatMap(node -> ((Sequence) node).items().stream())
        .filter(Mapping.class::isInstance)
        .map(item -> new EnvoyFields(location, (Mapping) item))
        .toList();
  }

  /** The map in a field. */
  Optional<EnvoyFields> map(String name) {
    Optional<TreeNode> value = value(name);
    if (value.isPresent() && !(value.get() instanceof Mapping)) {
      wrong(name, "a map", value.get());
      return Optional.empty();
    }
    return value.map(node -> new EnvoyFields(location, (Mapping) node));
  }

  private void wrong(String name, String what, TreeNode value) {
    // The schema check has reported fractions.
    boolean reported =
        value instanceof Scalar scalar
            && scalar.style() == Style.BARE
            && YamlScalars.isFraction(scalar.text());
    if (!reported) {
      location.error(value.line(), name + " must be " + what + ", not " + value.what());
    }
  }

  /** The same fields, reported as a part of this location. */
  EnvoyFields within(String what) {
    return new EnvoyFields(location.within(what), map);
  }
}
