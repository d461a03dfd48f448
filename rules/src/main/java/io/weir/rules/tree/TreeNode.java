package io.weir.rules.tree;

import io.weir.rules.text.Messages;
import java.util.List;
import java.util.Map;

/**
 * A document as a tree of maps, lists and single values, each with its line: all that is left of
 * YAML or JSON before anything is understood.
 */
public sealed interface TreeNode {
  /** Where it begins, counted from 1. */
  int line();

  /** What it is, in a message: {@code a list}. */
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
    /** How it was written. */
    public enum Style {
      /** As it is: a number, a flag, or in YAML a text too. */
      BARE,
      QUOTED,
      /** Nothing at all. */
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
