package io.weir.rules;

import java.util.Optional;

/**
 * One file of rules as text.
 *
 * @param name as the user named it; decides between YAML and JSON
 */
record Document(String name, String text) {
  /** The most characters that one file may have; a rule takes about 200. */
  static final int LONGEST = 4 << 20;

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
