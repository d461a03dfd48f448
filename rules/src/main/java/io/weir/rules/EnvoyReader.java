package io.weir.rules;

import io.weir.rules.DocumentFiles.Content;
import io.weir.rules.Node.Mapping;
import io.weir.rules.envoy.EnvoyConfig;
import io.weir.rules.envoy.EnvoyDescriptor;
import io.weir.rules.envoy.EnvoyDomain;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads files in the format of {@code envoyproxy/ratelimit}; every file is one domain. */
final class EnvoyReader {
  private final EnvoyOptions options;
  private final Problems problems = new Problems();
  private final Map<String, Draft> domains = new LinkedHashMap<>();

  /** A domain as far as it was read. */
  private record Draft(String file, EnvoySiblings siblings, List<EnvoyDescriptor> descriptors) {}

  private static final Pattern RECOGNISED =
      Pattern.compile("(?m)(^|[{,]\\s*)[\"']?(domain|descriptors)[\"']?\\s*:");

  private EnvoyReader(EnvoyOptions options) {
    this.options = options;
  }

  static LoadResult<EnvoyConfig> read(Content content, EnvoyOptions options) {
    EnvoyReader reader = new EnvoyReader(options);
    content.problems().forEach(reader.problems::add);
    content.documents().forEach(reader::read);
    List<String> order = new ArrayList<>();
    content.problems().forEach(problem -> order.add(problem.file()));
    content.documents().forEach(document -> order.add(document.name()));
    order.sort(null);
    List<Problem> sorted = reader.problems.sorted(order);
    return new LoadResult<>(
        reader.problems.errors() == 0 ? Optional.of(reader.config()) : Optional.empty(), sorted);
  }

  private EnvoyConfig config() {
    List<EnvoyDomain> all = new ArrayList<>();
    domains.forEach((name, draft) -> all.add(new EnvoyDomain(name, draft.descriptors)));
    return EnvoyConfig.of(all, options.keyPrefix());
  }

  private void read(Document document) {
    Place place =
        document.has(RECOGNISED)
            ? Place.file(problems, document.name())
            : Place.unrecognised(problems, document.name());
    try {
      Optional<Node> tree = tree(place, document);
      if (tree.isEmpty()) {
        place.error(1, "the file is empty; it must name a domain");
      } else if (tree.get() instanceof Mapping map && isForeign(map)) {
        place.error(map.line(), "this file has neither domain nor descriptors");
      } else if (tree.get() instanceof Mapping map) {
        EnvoyShape.check(place, map);
        domain(new EnvoyFields(place, map));
      } else {
        place.error(
            tree.get().line(),
            "the file must be a map of domain and descriptors, not "
                + Document.insteadOfMap(tree.get()));
      }
    } catch (Unreadable e) {
      place.error(e.line(), e.reason());
    }
  }

  private static boolean isForeign(Mapping map) {
    return !map.fields().isEmpty()
        && EnvoyShape.DOCUMENT.stream().noneMatch(map.fields()::containsKey);
  }

  private static Optional<Node> tree(Place place, Document document) throws Unreadable {
    if (document.text().length() > Document.LONGEST) {
      throw new Unreadable(1, "the file has more than " + Document.LONGEST + " characters");
    }
    return YamlTree.readWithAnchors(place, document.text());
  }

  private void domain(EnvoyFields fields) {
    String name = fields.text("domain");
    String file = fields.place().file();
    if (name.isEmpty()) {
      fields.place().error(fields.line("domain"), "the file must name a domain");
      name = file; // the rest may be wrong too
    } else if (name.equals(EnvoyDomain.OWN_RULES)) {
      fields
          .place()
          .error(fields.line("domain"), "domain 'weir' stands for Weir's own rules; take another");
    }
    Draft draft = domains.get(name);
    if (draft == null) {
      draft = new Draft(file, new EnvoySiblings(), new ArrayList<>());
      domains.put(name, draft);
    } else if (!options.mergeDomains()) {
      fields
          .place()
          .error(
              fields.line("domain"), "domain " + Words.quote(name) + " is also in " + draft.file);
    }
    draft.descriptors.addAll(EnvoyDescriptorReader.read(fields, draft.siblings));
  }
}
