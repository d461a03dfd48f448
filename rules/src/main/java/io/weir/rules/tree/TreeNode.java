package io.weir.rules.tree;

import io.weir.rules.text.Messages;
import java.util.List;
import java.util.Map;

/**
 * A document as a tree of maps, lists and scalars, each with its line. It is the common form of
 * YAML and JSON before validation.
 */
public sealed interface TreeNode {
  /** Line of its start, counted from 1. */
  int line();

  /** Description for messages: {@code a list}. */
  String what();

  /** Fields in the order they were written. */
  record Mapping(int line, Map<String, Field> fields) implements TreeNode {
    @Override
    public String what() {
      return "a map";
    }
  }

  /** One field of a map, with the line of its name. */
  record Field(int line, TreeNode value) {}

  /** Values in order. */
  record Sequence(int line, List<TreeNode> items) implements TreeNode {
    @Override
    public String what() {
      return "a list";
    }
  }

  /** A single value, as written. */
  record Scalar(int line, String text, Style style) implements TreeNode {
    /** How the value was written. */
    public enum Style {
      /** Unquoted: a number, a flag, or in YAML also a text. */
      BARE,
      QUOTED,
      /** Null or an empty value. */
      NOTHING
    }

    @Override
    public String what() {
      return switch (style) {
        case NOTHING -> "nothing";
        case QUOTED -> "the text " + Messages.quote(text);
        case BARE -> Messages.quote(text);
      };
    }
  }
}
