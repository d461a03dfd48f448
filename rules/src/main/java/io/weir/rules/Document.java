package io.weir.rules;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * One file of rules as text.
 *
 * @param name as the user named it; decides between YAML and JSON
 */
record Document(String name, String text) {
  /** The most characters that one file may have; a rule takes about 200. */
  static final int LONGEST = 4 << 20;

  /** Whether a line of it begins with a field of the document that it should be. */
  boolean has(Pattern field) {
    return field.matcher(text).find();
  }

  /** What stands where a map should; the text itself is not shown, as it may be anything. */
  static String insteadOfMap(Node root) {
    return root instanceof Node.Scalar scalar && scalar.style() != Node.Scalar.Style.NOTHING
        ? "a text"
        : root.what();
  }

  /** The tree in it, or nothing if it could not be read, which was reported. */
  Optional<Node> tree(Place place) {
    try {
      if (text.length() > LONGEST) {
        throw new Unreadable(1, "the file has more than " + LONGEST + " characters");
      }
      Optional<Node> tree =
          name.endsWith(".json") ? JsonTree.read(place, text) : YamlTree.read(place, text);
      if (tree.isEmpty()) {
        throw new Unreadable(1, "the file is empty; a rule document begins with version: 1");
      }
      return tree;
    } catch (Unreadable e) {
      place.error(e.line(), e.reason());
      return Optional.empty();
    }
  }
}
