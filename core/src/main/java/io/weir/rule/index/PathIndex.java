package io.weir.rule.index;

import io.weir.Call;
import io.weir.rule.PathPattern;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The rules by path: a tree with one level per segment, walked once per call. The cost depends on
 * the length of the path and on the rules that match it, not on the number of rules.
 *
 * <p>For the paths of patterns without wildcards the walk is done in advance: a call needs one map
 * lookup instead. If all rules found there depend on the path alone, and they are few, the result
 * is stored too.
 */
final class PathIndex {
  /**
   * The nodes of the tree that one path leads to.
   *
   * @param outcome the rules that apply to every call with this path; null if that depends on the
   *     call
   */
  private record PathLookup(List<PathRules> nodes, @Nullable MatchedRules outcome) {
    /**
     * The most rules in a stored result, so that rules for every path are not repeated for each
     * path.
     */
    private static final int MAX_STORED_RULES = 8;

    static final PathLookup UNKNOWN = new PathLookup(List.of(), null);

    static PathLookup along(List<PathRules> nodes) {
      boolean few = nodes.stream().mapToInt(PathRules::size).sum() <= MAX_STORED_RULES;
      if (!few || !nodes.stream().allMatch(PathRules::unconditional)) {
        return new PathLookup(nodes, null);
      }
      MatchedRules outcome = new MatchedRules();
      nodes.forEach(rules -> rules.collectAll(outcome));
      return new PathLookup(nodes, outcome);
    }
  }

  private final Node root = new Node();
  private final Map<String, PathLookup> literalPaths = new HashMap<>();

  void add(PathPattern pattern, PathMatch match) {
    Node node = root;
    for (PathPattern.Segment segment : pattern.segments()) {
      node = segment.any() ? node.any() : node.literal(segment.literal());
    }
    if (pattern.open()) {
      node.below = node.below == null ? new PathRules() : node.below;
      node.below.add(match);
    } else {
      node.here = node.here == null ? new PathRules() : node.here;
      node.here.add(match);
      if (pattern.segments().stream().noneMatch(PathPattern.Segment::any)) {
        literalPaths.put(path(pattern.segments()), PathLookup.UNKNOWN);
      }
    }
  }

  private static String path(List<PathPattern.Segment> segments) {
    return segments.stream()
        .map(PathPattern.Segment::literal)
        .collect(Collectors.joining("/", "/", ""));
  }

  /** Does the walks in advance. To be called after the last rule has been added. */
  void seal() {
    literalPaths.replaceAll(
        (path, unknown) -> {
          List<PathRules> nodes = new ArrayList<>();
          walk(root, path, 1, nodes::add);
          return PathLookup.along(nodes);
        });
  }

  /** The rules that apply to a call. The result may be shared by calls and must not be changed. */
  MatchedRules select(Call call) {
    String path = call.normalPath();
    PathLookup lookup = literalPaths.get(path);
    if (lookup != null && lookup.outcome != null) {
      return lookup.outcome;
    }
    MatchedRules matched = new MatchedRules();
    if (lookup == null) {
      walk(root, path, 1, rules -> rules.collect(call, matched));
    } else {
      lookup.nodes.forEach(rules -> rules.collect(call, matched));
    }
    return matched;
  }

  private static void walk(Node node, String path, int from, Consumer<PathRules> visitor) {
    if (node.below != null) {
      visitor.accept(node.below);
    }
    if (from >= path.length()) {
      if (node.here != null) {
        visitor.accept(node.here);
      }
      return;
    }
    if (node.any == null && node.literals == 0) {
      return;
    }
    int hash = 0;
    int to = from;
    for (; to < path.length() && path.charAt(to) != '/'; to++) {
      hash = 31 * hash + path.charAt(to);
    }
    Node literal = node.find(path, from, to, hash);
    if (literal != null) {
      walk(literal, path, to + 1, visitor);
    }
    if (node.any != null) {
      walk(node.any, path, to + 1, visitor);
    }
  }

  /**
   * A node of the tree. Its children are in an open-addressing hash table, searched by a region of
   * the path.
   */
  private static final class Node {
    private @Nullable PathRules here;
    private @Nullable PathRules below;
    private @Nullable Node any;
    private @Nullable String[] names = new String[4];
    private @Nullable Node[] children = new Node[4];
    private int literals;

    Node any() {
      any = any == null ? new Node() : any;
      return any;
    }

    @Nullable Node find(String path, int from, int to, int hash) {
      int mask = names.length - 1;
      for (int i = spread(hash) & mask; names[i] != null; i = (i + 1) & mask) {
        String name = names[i];
        if (name.length() == to - from && path.startsWith(name, from)) {
          return children[i];
        }
      }
      return null;
    }

    Node literal(String name) {
      Node known = find(name, 0, name.length(), name.hashCode());
      if (known != null) {
        return known;
      }
      if (2 * ++literals > names.length) {
        grow();
      }
      Node child = new Node();
      put(name, child);
      return child;
    }

    private void put(String name, Node child) {
      int mask = names.length - 1;
      int i = spread(name.hashCode()) & mask;
      while (names[i] != null) {
        i = (i + 1) & mask;
      }
      names[i] = name;
      children[i] = child;
    }

    private void grow() {
      @Nullable String[] oldNames = names;
      @Nullable Node[] oldChildren = children;
      names = new String[2 * oldNames.length];
      children = new Node[2 * oldNames.length];
      for (int i = 0; i < oldNames.length; i++) {
        if (oldNames[i] != null) {
          put(oldNames[i], oldChildren[i]);
        }
      }
    }

    private static int spread(int hash) {
      return hash ^ (hash >>> 16);
    }
  }
}
