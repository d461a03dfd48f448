package io.weir.rules;

import io.weir.rules.Node.Mapping;
import io.weir.rules.Node.Scalar;
import io.weir.rules.Node.Sequence;
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
final class Anchors {
  /** How many values all aliases of a file may bring in together. */
  static final int MOST_VALUES = 100_000;

  private record Known(Node node, int values, int depth) {}

  private final Map<String, Known> byName = new HashMap<>();
  private final Map<Node, Known> inner = new java.util.IdentityHashMap<>();
  private int brought;

  void put(String name, Node node) {
    byName.put(name, measure(node));
  }

  /** Trees that were brought in by an alias are measured once only. */
  private Known measure(Node node) {
    Known known = inner.get(node);
    if (known != null) {
      return known;
    }
    int values = 1;
    int depth = 0;
    for (Node part : parts(node)) {
      Known measured = measure(part);
      values = (int) Math.min(Integer.MAX_VALUE, (long) values + measured.values);
      depth = Math.max(depth, measured.depth);
    }
    known = new Known(node, values, depth + (node instanceof Scalar ? 0 : 1));
    inner.put(node, known);
    return known;
  }

  private static List<Node> parts(Node node) {
    if (node instanceof Mapping map) {
      return map.fields().values().stream().map(Node.Field::value).toList();
    }
    return node instanceof Sequence list ? list.items() : List.of();
  }

  /**
   * What a name stands for.
   *
   * @param room how deep it may be
   */
  Node get(int line, String name, int room) throws Unreadable {
    Known known = byName.get(name);
    if (known == null) {
      throw new Unreadable(line, "no anchor " + Words.quote("&" + name) + " comes before this");
    }
    brought = (int) Math.min(Integer.MAX_VALUE, (long) brought + known.values);
    if (brought > MOST_VALUES) {
      throw new Unreadable(line, "aliases stand for more than " + MOST_VALUES + " values");
    }
    if (known.depth > room) {
      throw new Unreadable(
          line, "maps and lists are nested more than " + TreeBuilder.DEEPEST + " deep");
    }
    return known.node;
  }

  /** Whether a field stands for those of other maps. */
  static boolean isMerge(Scalar name) {
    return name.text().equals("<<") && name.style() == Scalar.Style.BARE;
  }

  /** The maps whose fields are merged into another. */
  static List<Mapping> merged(int line, Node node) throws Unreadable {
    List<Mapping> maps = new ArrayList<>();
    for (Node part : node instanceof Sequence list ? list.items() : List.of(node)) {
      if (!(part instanceof Mapping map)) {
        throw new Unreadable(line, "<< takes maps, not " + part.what());
      }
      maps.add(map);
    }
    return maps;
  }
}
