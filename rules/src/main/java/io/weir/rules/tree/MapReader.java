package io.weir.rules.tree;

import io.weir.base.RateSyntax;
import io.weir.rules.text.Messages;
import io.weir.rules.tree.TreeNode.Mapping;
import io.weir.rules.tree.TreeNode.Scalar;
import io.weir.rules.tree.TreeNode.Scalar.Style;
import io.weir.rules.tree.TreeNode.Sequence;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Reads the fields of one map in the document by name and type.
 *
 * <p>A missing field and an invalid one both give an empty result; the invalid one has been
 * reported. So a reader goes through field after field and does not stop at the first mistake.
 */
public final class MapReader {
  /** Longer texts are rejected; no value in a rule is that long. */
  private static final int MAX_LENGTH = 1024;

  private final Location location;
  private final Mapping map;

  private MapReader(Location location, Mapping map) {
    this.location = location;
    this.map = map;
  }

  /** Reads the fields of a map, after reporting unknown ones. */
  public static MapReader of(Location location, Mapping map, Collection<String> known) {
    map.fields()
        .forEach(
            (name, field) -> {
              if (!known.contains(name) && location.hasRoomForProblems()) {
                location.error(
                    field.line(),
                    "unknown field " + Messages.quote(name) + Messages.didYouMean(name, known));
              }
            });
    return new MapReader(location, map);
  }

  /**
   * These fields laid over those of another map: a field of this map takes precedence. Problems in
   * inherited fields are reported at the line of this map.
   */
  public MapReader over(MapReader base, Collection<String> leftOut) {
    Map<String, TreeNode.Field> merged = new LinkedHashMap<>();
    base.map
        .fields()
        .forEach(
            (name, field) -> {
              if (!leftOut.contains(name)) {
                merged.put(name, new TreeNode.Field(map.line(), atLine(map.line(), field.value())));
              }
            });
    merged.putAll(map.fields());
    return new MapReader(location, new Mapping(map.line(), merged));
  }

  private static TreeNode atLine(int line, TreeNode node) {
    return node instanceof Scalar scalar ? new Scalar(line, scalar.text(), scalar.style()) : node;
  }

  /** The same fields, with another location for problems. */
  public MapReader in(Location other) {
    return new MapReader(other, map);
  }

  /** The same map restricted to these fields. */
  public MapReader only(Collection<String> names) {
    Map<String, TreeNode.Field> kept = new LinkedHashMap<>(map.fields());
    kept.keySet().retainAll(names);
    return new MapReader(location, new Mapping(map.line(), kept));
  }

  public Location location() {
    return location;
  }

  public boolean has(String name) {
    return map.fields().containsKey(name);
  }

  /** The line of a field, or of the map if the field is missing. */
  public int line(String name) {
    TreeNode.Field field = map.fields().get(name);
    return field == null ? map.line() : field.line();
  }

  /** The names of all fields present. */
  public Collection<String> names() {
    return map.fields().keySet();
  }

  /** A field's value if it is a scalar; reports nothing. */
  public Optional<String> peek(String name) {
    TreeNode.Field field = map.fields().get(name);
    return field != null && field.value() instanceof Scalar scalar
        ? Optional.of(scalar.text())
        : Optional.empty();
  }

  /** A field's value of any type. A field without a value is reported. */
  public Optional<TreeNode> node(String name) {
    TreeNode.Field field = map.fields().get(name);
    if (field == null) {
      return Optional.empty();
    }
    if (field.value() instanceof Scalar scalar && scalar.style() == Style.NOTHING) {
      location.error(field.line(), name + " has no value; leave it out or say what it is");
      return Optional.empty();
    }
    return Optional.of(field.value());
  }

  /** A text, such as {@code example}. */
  public Optional<String> text(String name, String example) {
    return node(name).flatMap(node -> text(node, name, example));
  }

  /** A text converted by {@code reader}, which rejects it by throwing with the reason. */
  public <T> Optional<T> read(String name, String example, Function<String, T> reader) {
    return text(name, example)
        .flatMap(text -> location.attempt(line(name), () -> reader.apply(text)));
  }

  /** A whole number, at least 0. */
  public Optional<Long> number(String name, String example) {
    return node(name)
        .flatMap(
            node -> {
              if (node instanceof Scalar scalar && scalar.style() == Style.BARE) {
                return shortEnough(scalar, name)
                    .flatMap(
                        text ->
                            location.attempt(
                                node.line(), () -> RateSyntax.wholeNumber(name, text)));
              }
              location.error(
                  node.line(),
                  name + " must be a whole number such as " + example + ", not " + node.what());
              return Optional.empty();
            });
  }

  /** A whole number within bounds. */
  public Optional<Integer> number(String name, int least, int most) {
    return number(name, Integer.toString(least))
        .flatMap(
            number -> {
              if (number >= least && number <= most) {
                return Optional.of(number.intValue());
              }
              location.error(
                  line(name), name + " " + number + " is not between " + least + " and " + most);
              return Optional.empty();
            });
  }

  public Optional<Boolean> flag(String name) {
    return node(name)
        .flatMap(
            node -> {
              if (node instanceof Scalar scalar
                  && scalar.style() == Style.BARE
                  && (scalar.text().equals("true") || scalar.text().equals("false"))) {
                return Optional.of(scalar.text().equals("true"));
              }
              location.error(node.line(), name + " must be true or false, not " + node.what());
              return Optional.empty();
            });
  }

  /** One of the constants of an enum, in lower case. */
  public <E extends Enum<E>> Optional<E> choice(String name, Class<E> type) {
    return choice(name, Arrays.asList(type.getEnumConstants()));
  }

  /** One of these constants, in lower case. */
  public <E extends Enum<E>> Optional<E> choice(String name, List<E> constants) {
    List<String> ids =
        constants.stream().map(constant -> constant.name().toLowerCase(Locale.ROOT)).toList();
    return text(name, ids.get(0))
        .flatMap(
            text -> {
              int chosen = ids.indexOf(text);
              if (chosen >= 0) {
                return Optional.of(constants.get(chosen));
              }
              location.error(
                  line(name),
                  name
                      + " must be one of "
                      + String.join(", ", ids)
                      + ", not "
                      + Messages.quote(text)
                      + Messages.didYouMean(text, ids));
              return Optional.empty();
            });
  }

  /** A map with these fields. */
  public Optional<MapReader> map(String name, String example, Collection<String> known) {
    return node(name)
        .flatMap(
            node -> {
              if (node instanceof Mapping inner) {
                return Optional.of(MapReader.of(location, inner, known));
              }
              location.error(node.line(), expected(name, "a map", example, node));
              return Optional.empty();
            });
  }

  /** The values of a list, or a single value as a list of one. An empty list is reported. */
  public List<TreeNode> items(String name) {
    Optional<TreeNode> node = node(name);
    if (node.isEmpty()) {
      return List.of();
    }
    if (node.get() instanceof Sequence list) {
      if (list.items().isEmpty()) {
        location.error(line(name), name + " is an empty list; leave it out or name something");
      }
      return list.items();
    }
    return List.of(node.get());
  }

  /** The texts of a list, or one single text; items of another type are reported. */
  public List<LocatedText> texts(String name, String example) {
    List<LocatedText> texts = new ArrayList<>();
    for (TreeNode item : items(name)) {
      text(item, name, example)
          .map(text -> new LocatedText(text, item.line()))
          .ifPresent(texts::add);
    }
    return texts;
  }

  /** A text and its line. */
  public record LocatedText(String text, int line) {}

  /** The text of a node; any other type is reported. */
  Optional<String> text(TreeNode node, String name, String example) {
    if (node instanceof Scalar scalar && scalar.style() != Style.NOTHING) {
      return shortEnough(scalar, name);
    }
    location.error(node.line(), expected(name, "a text", example, node));
    return Optional.empty();
  }

  private Optional<String> shortEnough(Scalar scalar, String name) {
    if (scalar.text().length() > MAX_LENGTH) {
      location.error(scalar.line(), name + " has more than " + MAX_LENGTH + " characters");
      return Optional.empty();
    }
    return Optional.of(scalar.text());
  }

  private static String expected(String name, String what, String example, TreeNode node) {
    return name + " must be " + what + " such as " + example + ", not " + node.what();
  }
}
