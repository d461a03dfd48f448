package io.weir.rules.tree;

import io.weir.rules.text.Messages;
import io.weir.rules.tree.TreeNode.Field;
import io.weir.rules.tree.TreeNode.Mapping;
import io.weir.rules.tree.TreeNode.Scalar;
import io.weir.rules.tree.TreeNode.Sequence;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Builds the tree from the events of a YAML or JSON parser, without recursion, so that no document
 * can exhaust the stack. Depth is capped, and a duplicate field is a problem.
 */
final class TreeBuilder {
  static final int DEEPEST = 32;
  private static final int MAX_TEXT_LENGTH = 16_384;

  private final Location location;
  private final @Nullable YamlAnchors anchors;
  private final Deque<OpenContainer> open = new ArrayDeque<>();
  private @Nullable TreeNode root;

  TreeBuilder(Location location) {
    this(location, null);
  }

  /** A builder that resolves anchors and merges maps into others by {@code <<}. */
  TreeBuilder(Location location, @Nullable YamlAnchors anchors) {
    this.location = location;
    this.anchors = anchors;
  }

  /** A map or list whose end has not been reached. */
  private static final class OpenContainer {
    final TreeNode node;
    final Map<String, Field> fields;
    final List<TreeNode> items;
    final List<Mapping> merged = new ArrayList<>();
    @Nullable Scalar name;
    @Nullable String anchor;

    OpenContainer(TreeNode node, Map<String, Field> fields, List<TreeNode> items) {
      this.node = node;
      this.fields = fields;
      this.items = items;
    }
  }

  void startMap(int line) throws UnreadableDocumentException {
    Map<String, Field> fields = new LinkedHashMap<>();
    push(new OpenContainer(new Mapping(line, fields), fields, List.of()));
  }

  void startList(int line) throws UnreadableDocumentException {
    List<TreeNode> items = new ArrayList<>();
    push(new OpenContainer(new Sequence(line, items), Map.of(), items));
  }

  private void push(OpenContainer next) throws UnreadableDocumentException {
    if (isAtName()) {
      throw new UnreadableDocumentException(
          next.node.line(), "the name of a field must be a text, not " + next.node.what());
    }
    if (open.size() >= DEEPEST) {
      throw new UnreadableDocumentException(
          next.node.line(), "maps and lists are nested more than " + DEEPEST + " deep");
    }
    open.push(next);
  }

  /** Ends the map or list that was started last. */
  void end() throws UnreadableDocumentException {
    OpenContainer ended = open.pop();
    for (Mapping other : ended.merged) {
      other.fields().forEach(ended.fields::putIfAbsent);
    }
    if (anchors != null && ended.anchor != null) {
      anchors.put(ended.anchor, ended.node);
    }
    add(ended.node);
  }

  /** Sets the anchor of the map or list that was started last. */
  void anchor(String name) {
    open.element().anchor = name;
  }

  /** Inserts the node of an anchor. */
  void alias(int line, YamlAnchors known, String name) throws UnreadableDocumentException {
    TreeNode node = known.get(line, name, DEEPEST - open.size());
    if (node instanceof Scalar scalar) {
      scalar(scalar);
    } else if (isAtName()) {
      throw new UnreadableDocumentException(
          line, "the name of a field must be a text, not " + node.what());
    } else {
      add(node);
    }
  }

  private boolean isAtName() {
    OpenContainer parent = open.peek();
    return parent != null && parent.node instanceof Mapping && parent.name == null;
  }

  /** A single value, or the name of the next field. */
  void scalar(Scalar scalar) throws UnreadableDocumentException {
    if (scalar.text().length() > MAX_TEXT_LENGTH) {
      throw new UnreadableDocumentException(
          scalar.line(), "a single value has more than " + MAX_TEXT_LENGTH + " characters");
    }
    if (isAtName()) {
      open.element().name = scalar;
    } else {
      add(scalar);
    }
  }

  private void add(TreeNode node) throws UnreadableDocumentException {
    OpenContainer parent = open.peek();
    if (parent == null) {
      root = node;
    } else if (parent.name == null) {
      parent.items.add(node);
    } else {
      Scalar name = parent.name;
      parent.name = null;
      if (anchors != null && YamlAnchors.isMerge(name)) {
        parent.merged.addAll(YamlAnchors.merged(name.line(), node));
        return;
      }
      Field earlier = parent.fields.putIfAbsent(name.text(), new Field(name.line(), node));
      if (earlier != null) {
        location.error(
            name.line(),
            Messages.quote(name.text())
                + " is there twice; the first is on line "
                + earlier.line());
      }
    }
  }

  /** The last line of a text; parsers report its end as the line after it. */
  static int lastLine(String text) {
    return Math.max(1, (int) text.lines().count());
  }

  /** The whole tree, after the last event; empty for an empty document. */
  Optional<TreeNode> root() {
    return Optional.ofNullable(root);
  }
}
