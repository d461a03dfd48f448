package io.weir.rules.tree;

import io.weir.rules.text.Messages;
import io.weir.rules.tree.TreeNode.Mapping;
import io.weir.rules.tree.TreeNode.Scalar;
import io.weir.rules.tree.TreeNode.Sequence;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The anchors of a YAML file and their nodes.
 *
 * <p>With aliases of aliases a small file can expand to a huge one. Trees are shared, so that costs
 * no memory, but every walk over the tree visits all of it. Hence the caps on the number of values
 * that aliases insert and on the resulting depth.
 */
final class YamlAnchors {
  /** Maximum number of values that all aliases of a file may insert. */
  static final int MAX_VALUES = 100_000;

  private record AnchoredNode(TreeNode node, int values, int depth) {}

  private final Map<String, AnchoredNode> byName = new HashMap<>();
  private final Map<TreeNode, AnchoredNode> inner = new java.util.IdentityHashMap<>();
  private int inserted;

  void put(String name, TreeNode node) {
    byName.put(name, measure(node));
  }

  /** Counts values and depth; each shared tree is measured only once. */
  private AnchoredNode measure(TreeNode node) {
    AnchoredNode known = inner.get(node);
    if (known != null) {
      return known;
    }
    int values = 1;
    int depth = 0;
    for (TreeNode part : parts(node)) {
      AnchoredNode measured = measure(part);
      values = (int) Math.min(Integer.MAX_VALUE, (long) values + measured.values);
      depth = Math.max(depth, measured.depth);
    }
    known = new AnchoredNode(node, values, depth + (node instanceof Scalar ? 0 : 1));
    inner.put(node, known);
    return known;
  }

  private static List<TreeNode> parts(TreeNode node) {
    if (node instanceof Mapping map) {
      return map.fields().values().stream().map(TreeNode.Field::value).toList();
    }
    return node instanceof Sequence list ? list.items() : List.of();
  }

  /**
   * The node of an anchor.
   *
   * @param room maximum depth of the node
   */
  TreeNode get(int line, String name, int room) throws UnreadableDocumentException {
    AnchoredNode known = byName.get(name);
    if (known == null) {
      throw new UnreadableDocumentException(
          line, "no anchor " + Messages.quote("&" + name) + " comes before this");
    }
    inserted = (int) Math.min(Integer.MAX_VALUE, (long) inserted + known.values);
    if (inserted > MAX_VALUES) {
      throw new UnreadableDocumentException(
          line, "aliases stand for more than " + MAX_VALUES + " values");
    }
    if (known.depth > room) {
      throw new UnreadableDocumentException(
          line, "maps and lists are nested more than " + TreeBuilder.DEEPEST + " deep");
    }
    return known.node;
  }

  /** Whether a field is the merge key, which inserts the fields of other maps. */
  static boolean isMerge(Scalar name) {
    return name.text().equals("<<") && name.style() == Scalar.Style.BARE;
  }

  /** The maps whose fields are merged into another. */
  static List<Mapping> merged(int line, TreeNode node) throws UnreadableDocumentException {
    List<Mapping> maps = new ArrayList<>();
    for (TreeNode part : node instanceof Sequence list ? list.items() : List.of(node)) {
      if (!(part instanceof Mapping map)) {
        throw new UnreadableDocumentException(line, "<< takes maps, not " + part.what());
      }
      maps.add(map);
    }
    return maps;
  }
}
