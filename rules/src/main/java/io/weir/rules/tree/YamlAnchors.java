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
 * What the anchors of a YAML file stand for.
 *
 * <p>With aliases of aliases a small file can stand for a huge one. Trees are shared, so that costs
 * no memory, but whoever reads the tree walks all of it: hence the cap on what aliases bring in,
 * and on the depth that comes of it.
 */
final class YamlAnchors {
  /** How many values all aliases of a file may bring in together. */
  static final int MOST_VALUES = 100_000;

  private record AnchoredNode(TreeNode node, int values, int depth) {}

  private final Map<String, AnchoredNode> byName = new HashMap<>();
  private final Map<TreeNode, AnchoredNode> inner = new java.util.IdentityHashMap<>();
  private int brought;

  void put(String name, TreeNode node) {
    byName.put(name, measure(node));
  }

  /** Trees that were brought in by an alias are measured once only. */
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
   * What a name stands for.
   *
   * @param room how deep it may be
   */
  TreeNode get(int line, String name, int room) throws UnreadableDocumentException {
    AnchoredNode known = byName.get(name);
    if (known == null) {
      throw new UnreadableDocumentException(
          line, "no anchor " + Messages.quote("&" + name) + " comes before this");
    }
    brought = (int) Math.min(Integer.MAX_VALUE, (long) brought + known.values);
    if (brought > MOST_VALUES) {
      throw new UnreadableDocumentException(
          line, "aliases stand for more than " + MOST_VALUES + " values");
    }
    if (known.depth > room) {
      throw new UnreadableDocumentException(
          line, "maps and lists are nested more than " + TreeBuilder.DEEPEST + " deep");
    }
    return known.node;
  }

  /** Whether a field stands for those of other maps. */
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
