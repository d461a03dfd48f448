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

/** Reads {@code match} and {@code except}: the calls that a rule applies to. */
public final class MatchReader {
  public static final List<String> FIELDS =
      List.of("path", "methods", "hosts", "attributes", "absent");

  private final Location location;
  private final MapReader fields;

  private MatchReader(MapReader fields) {
    this.location = fields.location();
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
      location.attempt(path.line(), () -> pattern(path.text())).ifPresent(paths::add);
    }
    return paths;
  }

  /**
   * Rejects characters at which the normal form of a path ends: the rest of the pattern would never
   * be compared.
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
      location.attempt(item.line(), () -> reader.apply(item.text())).ifPresent(values::add);
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
      location.error(
          node.get().line(),
          "attributes must be a map such as { region: [eu, us] }, not " + node.get().what());
      return attributes;
    }
    if (map.fields().isEmpty()) {
      location.error(map.line(), "attributes is an empty map; leave it out or name something");
    }
    MapReader values = MapReader.of(location, map, map.fields().keySet());
    map.fields()
        .forEach(
            (name, field) -> {
              Optional<String> attribute =
                  location.attempt(field.line(), () -> NameSyntax.attribute("attribute", name));
              Set<String> allowed = new LinkedHashSet<>();
              for (LocatedText value : values.texts(name, "eu")) {
                if (value.text().isEmpty()) {
                  location.error(
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
