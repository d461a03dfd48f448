package io.weir.rules.tree;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * One file of rules as text.
 *
 * @param name as the user named it; decides between YAML and JSON
 */
public record SourceText(String name, String text) {
  /** The most characters that one file may have; a rule takes about 200. */
  public static final int LONGEST = 4 << 20;

  /** Whether a line of it begins with a field of the document that it should be. */
  public boolean has(Pattern field) {
    return field.matcher(text).find();
  }

  /** What stands where a map should; the text itself is not shown, as it may be anything. */
  public static String insteadOfMap(TreeNode root) {
    return root instanceof TreeNode.Scalar scalar && scalar.style() != TreeNode.Scalar.Style.NOTHING
        ? "a text"
        : root.what();
  }

  /** The tree in it, or nothing if it could not be read, which was reported. */
  public Optional<TreeNode> tree(Location place) {
    try {
      if (text.length() > LONGEST) {
        throw new UnreadableDocumentException(
            1, "the file has more than " + LONGEST + " characters");
      }
      Optional<TreeNode> tree =
          name.endsWith(".json") ? JsonTree.read(place, text) : YamlTree.read(place, text);
      if (tree.isEmpty()) {
        throw new UnreadableDocumentException(
            1, "the file is empty; a rule document begins with version: 1");
      }
      return tree;
    } catch (UnreadableDocumentException e) {
      place.error(e.line(), e.reason());
      return Optional.empty();
    }
  }
}
