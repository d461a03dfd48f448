package io.weir.rules.read;

import io.weir.rule.Match;
import io.weir.rule.PathPattern;
import io.weir.rules.text.Messages;
import io.weir.rules.tree.Location;
import io.weir.rules.tree.MapReader;
import io.weir.rules.tree.MapReader.LocatedText;
import io.weir.rules.tree.TreeNode;
import io.weir.rules.tree.TreeNode.Mapping;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Reads {@code match} and {@code except}: which calls a rule is about. */
public final class MatchReader {
  public static final List<String> FIELDS =
      List.of("path", "methods", "hosts", "attributes", "absent");

  private final Location place;
  private final MapReader fields;

  private MatchReader(MapReader fields) {
    this.place = fields.place();
    this.fields = fields;
  }

  /** The calls that a field of a rule describes. */
  static Optional<Match> read(MapReader rule, String name) {
    return rule.map(name, "{ methods: [POST], path: /payments }", FIELDS)
        .map(fields -> new MatchReader(fields).read());
  }

  private Match read() {
    return new Match(
        paths(),
        set("methods", "POST", NameSyntax::method),
        set("hosts", "api.example.com", NameSyntax::host),
        attributes(),
        set("absent", "user", text -> NameSyntax.attribute("attribute", text)));
  }

  private List<PathPattern> paths() {
    List<PathPattern> paths = new ArrayList<>();
    for (LocatedText path : fields.texts("path", "/v1/**")) {
      place.attempt(path.line(), () -> pattern(path.text())).ifPresent(paths::add);
    }
    return paths;
  }

  /**
   * The normal form of a path ends at these, so a pattern that goes on would say less than it
   * seems.
   */
  private static PathPattern pattern(String text) {
    for (char end : new char[] {'?', '#', ';', '\\'}) {
      if (text.indexOf(end) >= 0) {
        throw new IllegalArgumentException(
            "path "
                + Messages.quote(text)
                + " must be without '"
                + end
                + "': only the path itself is matched");
      }
    }
    return PathPattern.of(text);
  }

  private Set<String> set(String name, String example, Function<String, String> reader) {
    Set<String> values = new LinkedHashSet<>();
    for (LocatedText item : fields.texts(name, example)) {
      place.attempt(item.line(), () -> reader.apply(item.text())).ifPresent(values::add);
    }
    return values;
  }

  private Map<String, Set<String>> attributes() {
    Map<String, Set<String>> attributes = new LinkedHashMap<>();
    Optional<TreeNode> node = fields.node("attributes");
    if (node.isEmpty()) {
      return attributes;
    }
    if (!(node.get() instanceof Mapping map)) {
      place.error(
          node.get().line(),
          "attributes must be a map such as { region: [eu, us] }, not " + node.get().what());
      return attributes;
    }
    if (map.fields().isEmpty()) {
      place.error(map.line(), "attributes is an empty map; leave it out or name something");
    }
    MapReader values = MapReader.of(place, map, map.fields().keySet());
    map.fields()
        .forEach(
            (name, field) -> {
              Optional<String> attribute =
                  place.attempt(field.line(), () -> NameSyntax.attribute("attribute", name));
              Set<String> allowed = new LinkedHashSet<>();
              for (LocatedText value : values.texts(name, "eu")) {
                if (value.text().isEmpty()) {
                  place.error(
                      value.line(),
                      "attribute " + name + ": an empty value counts as absent; use absent");
                }
                allowed.add(value.text());
              }
              attribute.ifPresent(a -> attributes.put(a, Set.copyOf(allowed)));
            });
    return attributes;
  }
}
