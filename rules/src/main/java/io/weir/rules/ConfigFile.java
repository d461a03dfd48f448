package io.weir.rules;

import io.weir.rules.Problem.Severity;
import io.weir.rules.file.DocumentFiles;
import io.weir.rules.file.DocumentFiles.Content;
import io.weir.rules.text.Messages;
import io.weir.rules.tree.Location;
import io.weir.rules.tree.Problems;
import io.weir.rules.tree.SourceText;
import io.weir.rules.tree.TreeNode;
import io.weir.rules.tree.TreeNode.Mapping;
import io.weir.rules.tree.TreeNode.Scalar;
import io.weir.rules.tree.TreeNode.Sequence;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * A configuration file flattened to single settings, each with its line: {@code listen: { http:
 * 8080 }} becomes {@code listen.http} = {@code 8080}. The size and depth caps of rule documents
 * apply. The meaning of the names is left to the caller.
 */
public record ConfigFile(List<Setting> settings, List<Problem> problems) {
  public ConfigFile {
    settings = List.copyOf(settings);
    problems = List.copyOf(problems);
  }

  /**
   * One value.
   *
   * @param name dotted, such as {@code guard.rate}; items of lists end in {@code [0]}, and an empty
   *     list is one setting with an empty value
   * @param value as written; empty for null
   */
  public record Setting(String name, String value, int line) {}

  /** Reads a file. */
  public static ConfigFile read(Path file) {
    if (Files.isDirectory(file)) {
      Problem folder = new Problem(Severity.ERROR, file.toString(), 0, "this is a folder");
      return new ConfigFile(List.of(), List.of(folder));
    }
    Content content = DocumentFiles.read(file);
    Problems problems = new Problems();
    content.problems().forEach(problems::add);
    List<Setting> settings = new ArrayList<>();
    for (SourceText document : content.documents()) {
      Location location = Location.file(problems, document.name());
      if (!isEmpty(document.text())) {
        document.tree(location).ifPresent(tree -> flatten(location, "", tree, settings));
      }
    }
    return new ConfigFile(settings, problems.sorted(List.of(file.toString())));
  }

  /** The known name closest to a misspelled one. */
  public static Optional<String> nearest(String name, Collection<String> known) {
    return Messages.nearest(name, known);
  }

  private static boolean isEmpty(String text) {
    return text.lines().map(String::strip).allMatch(line -> line.isEmpty() || line.startsWith("#"));
  }

  /** Trees are never deeper than {@code TreeBuilder#DEEPEST}, so this may recurse. */
  private static void flatten(
      Location location, String name, TreeNode node, List<Setting> settings) {
    if (node instanceof Mapping map) {
      String prefix = name.isEmpty() ? "" : name + ".";
      map.fields()
          .forEach((key, field) -> flatten(location, prefix + key, field.value(), settings));
    } else if (name.isEmpty()) {
      location.error(
          node.line(), "the file must be a map such as listen: { http: 127.0.0.1:8080 }");
    } else if (node instanceof Sequence list && list.items().isEmpty()) {
      settings.add(new Setting(name, "", list.line()));
    } else if (node instanceof Sequence list) {
      for (int i = 0; i < list.items().size(); i++) {
        flatten(location, name + "[" + i + "]", list.items().get(i), settings);
      }
    } else if (node instanceof Scalar scalar) {
      boolean nothing = scalar.style() == Scalar.Style.NOTHING;
      settings.add(new Setting(name, nothing ? "" : scalar.text(), scalar.line()));
    }
  }
}
