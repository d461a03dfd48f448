package io.weir.rules.envoy;

import io.weir.rules.LoadResult;
import io.weir.rules.Problem;
import io.weir.rules.file.DocumentFiles.Content;
import io.weir.rules.text.Messages;
import io.weir.rules.tree.Location;
import io.weir.rules.tree.Problems;
import io.weir.rules.tree.SourceText;
import io.weir.rules.tree.TreeNode;
import io.weir.rules.tree.TreeNode.Mapping;
import io.weir.rules.tree.UnreadableDocumentException;
import io.weir.rules.tree.YamlTree;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads files in the format of {@code envoyproxy/ratelimit}; every file is one domain. */
public final class EnvoyReader {
  private final EnvoyOptions options;
  private final Problems problems = new Problems();
  private final Map<String, DomainDraft> domains = new LinkedHashMap<>();

  /** A domain as far as it has been read. */
  private record DomainDraft(
      String file, DuplicateDescriptors siblings, List<EnvoyDescriptor> descriptors) {}

  private static final Pattern RECOGNISED =
      Pattern.compile("(?m)(^|[{,]\\s*)[\"']?(domain|descriptors)[\"']?\\s*:");

  private EnvoyReader(EnvoyOptions options) {
    this.options = options;
  }

  public static LoadResult<EnvoyDomains> read(Content content, EnvoyOptions options) {
    EnvoyReader reader = new EnvoyReader(options);
    content.problems().forEach(reader.problems::add);
    content.documents().forEach(reader::read);
    List<String> order = new ArrayList<>();
    content.problems().forEach(problem -> order.add(problem.file()));
    content.documents().forEach(document -> order.add(document.name()));
    order.sort(null);
    List<Problem> sorted = reader.problems.sorted(order);
    return new LoadResult<>(
        reader.problems.errors() == 0 ? Optional.of(reader.result()) : Optional.empty(), sorted);
  }

  private EnvoyDomains result() {
    List<EnvoyDomain> all = new ArrayList<>();
    domains.forEach((name, draft) -> all.add(new EnvoyDomain(name, draft.descriptors)));
    return new EnvoyDomains(all);
  }

  private void read(SourceText document) {
    Location location =
        document.has(RECOGNISED)
            ? Location.file(problems, document.name())
            : Location.unrecognised(problems, document.name());
    try {
      Optional<TreeNode> tree = tree(location, document);
      if (tree.isEmpty()) {
        location.error(1, "the file is empty; it must name a domain");
      } else if (tree.get() instanceof Mapping map && isForeign(map)) {
        location.error(map.line(), "this file has neither domain nor descriptors");
      } else if (tree.get() instanceof Mapping map) {
        EnvoySchemaCheck.check(location, map);
        domain(new EnvoyFields(location, map));
      } else {
        location.error(
            tree.get().line(),
            "the file must be a map of domain and descriptors, not "
                + SourceText.insteadOfMap(tree.get()));
      }
    } catch (UnreadableDocumentException e) {
      location.error(e.line(), e.reason());
    }
  }

  private static boolean isForeign(Mapping map) {
    return !map.fields().isEmpty()
        && EnvoySchemaCheck.DOCUMENT.stream().noneMatch(map.fields()::containsKey);
  }

  private static Optional<TreeNode> tree(Location location, SourceText document)
      throws UnreadableDocumentException {
    if (document.text().length() > SourceText.MAX_LENGTH) {
      throw new UnreadableDocumentException(
          1, "the file has more than " + SourceText.MAX_LENGTH + " characters");
    }
    return YamlTree.readWithAnchors(location, document.text());
  }

  private void domain(EnvoyFields fields) {
    String name = fields.text("domain");
    String file = fields.location().file();
    if (name.isEmpty()) {
      fields.location().error(fields.line("domain"), "the file must name a domain");
      name = file; // go on, to report further problems
    } else if (name.equals(EnvoyDomain.OWN_RULES)) {
      fields
          .location()
          .error(
              fields.line("domain"), "domain 'weir' is reserved for Weir's own rules; use another");
    }
    DomainDraft draft = domains.get(name);
    if (draft == null) {
      draft = new DomainDraft(file, new DuplicateDescriptors(), new ArrayList<>());
      domains.put(name, draft);
    } else if (!options.mergeDomains()) {
      fields
          .location()
          .error(
              fields.line("domain"),
              "domain " + Messages.quote(name) + " is also in " + draft.file);
    }
    draft.descriptors.addAll(EnvoyDescriptorReader.read(fields, draft.siblings));
  }
}
