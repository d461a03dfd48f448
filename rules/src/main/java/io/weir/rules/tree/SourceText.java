package io.weir.rules.tree;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * One file of rules as text.
 *
 * @param name as the user named it; decides between YAML and JSON
 */
public record SourceText(String name, String text) {
  /** Maximum number of characters of one file; a rule takes about 200. */
  public static final int MAX_LENGTH = 4 << 20;

  /**
   * Whether the text contains a match of this pattern, such as a field of the expected document.
   */
  public boolean has(Pattern field) {
    return field.matcher(text).find();
  }

  /** Describes a root that is not a map; its text is not shown, as it may be confidential. */
  public static String insteadOfMap(TreeNode root) {
    return root instanceof TreeNode.Scalar scalar && scalar.style() != TreeNode.Scalar.Style.NOTHING
        ? "a text"
        : root.what();
  }

  /** The parsed tree; empty if parsing failed, which has been reported. */
  public Optional<TreeNode> tree(Location location) {
    try {
      if (text.length() > MAX_LENGTH) {
        throw new UnreadableDocumentException(
            1, "the file has more than " + MAX_LENGTH + " characters");
      }
      Optional<TreeNode> tree =
          name.endsWith(".json") ? JsonTree.read(location, text) : YamlTree.read(location, text);
      if (tree.isEmpty()) {
        throw new UnreadableDocumentException(
            1, "the file is empty; a rule document begins with version: 1");
      }
      return tree;
    } catch (UnreadableDocumentException e) {
      location.error(e.line(), e.reason());
      return Optional.empty();
    }
  }
}
