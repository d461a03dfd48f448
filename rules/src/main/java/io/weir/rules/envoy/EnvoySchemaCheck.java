package io.weir.rules.envoy;

import io.weir.rules.text.Messages;
import io.weir.rules.tree.Location;
import io.weir.rules.tree.TreeNode;
import io.weir.rules.tree.TreeNode.Mapping;
import io.weir.rules.tree.TreeNode.Scalar;
import io.weir.rules.tree.TreeNode.Scalar.Style;
import io.weir.rules.tree.TreeNode.Sequence;
import io.weir.rules.tree.YamlScalars;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Checks the schema of a file for {@code envoyproxy/ratelimit}: only known keys, lists of maps, and
 * plain leaves. As in that project, a known key in the wrong place is no error; it gives a warning.
 */
final class EnvoySchemaCheck {
  static final String METADATA = "metadata";

  static final List<String> DOCUMENT = List.of("domain", "descriptors");
  static final List<String> DESCRIPTOR =
      List.of(
          "key",
          "value",
          "rate_limit",
          "descriptors",
          "shadow_mode",
          "quota_mode",
          "detailed_metric",
          "value_to_metric",
          "share_threshold");
  static final List<String> LIMIT =
      List.of("unit", "requests_per_unit", "unlimited", "name", "replaces");
  static final List<String> REPLACES = List.of("name");

  /** Fields that Weir accepts under {@code rate_limit} in addition to those of that project. */
  static final List<String> MORE =
      List.of("unit_multiplier", "algorithm", "burst", "on_fail", "accuracy", "count_denied");

  private static final Set<String> LEGAL = legal();

  private final Location location;

  private EnvoySchemaCheck(Location location) {
    this.location = location;
  }

  private static Set<String> legal() {
    Set<String> all = new java.util.LinkedHashSet<>(DOCUMENT);
    all.addAll(DESCRIPTOR);
    all.addAll(LIMIT);
    all.add(METADATA);
    return all;
  }

  /** Reports every violation of the schema in a file. */
  static void check(Location location, Mapping document) {
    new EnvoySchemaCheck(location).check(document, DOCUMENT, List.of());
  }

  /** The depth of trees is capped, so this may recurse. */
  private void check(Mapping map, List<String> here, List<String> more) {
    map.fields()
        .forEach(
            (name, field) -> {
              if (!LEGAL.contains(name) && !more.contains(name)) {
                unknown(name, field.line(), here, more);
              } else if (!name.equals(METADATA)) {
                if (!here.contains(name) && !more.contains(name)) {
                  location.warning(
                      field.line(), Messages.quote(name) + " means nothing in this place");
                }
                check(name, field.value());
              }
            });
  }

  private void unknown(String name, int line, List<String> here, List<String> more) {
    List<String> candidates = new ArrayList<>(here);
    candidates.addAll(more);
    location.error(
        line, "unknown key " + Messages.quote(name) + Messages.didYouMean(name, candidates));
  }

  private void check(String name, TreeNode value) {
    if (value instanceof Mapping map) {
      check(map, inside(name), name.equals("rate_limit") ? MORE : List.of());
    } else if (value instanceof Sequence list) {
      for (TreeNode item : list.items()) {
        if (item instanceof Mapping map) {
          check(map, inside(name), List.of());
        } else {
          location.error(item.line(), name + " must be a list of maps, not of " + item.what());
        }
      }
    } else if (value instanceof Scalar scalar
        && scalar.style() == Style.BARE
        && YamlScalars.isFraction(scalar.text())) {
      location.error(
          scalar.line(),
          name
              + " must be a text, a whole number, true or false, not "
              + scalar.what()
              + "; put a text in quotes");
    }
  }

  private static List<String> inside(String name) {
    return switch (name) {
      case "descriptors" -> DESCRIPTOR;
      case "rate_limit" -> LIMIT;
      case "replaces" -> REPLACES;
      default -> List.of();
    };
  }
}
