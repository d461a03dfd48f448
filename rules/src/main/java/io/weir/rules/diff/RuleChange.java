package io.weir.rules.diff;

import io.weir.rules.text.Messages;

/**
 * One difference between two rule sets.
 *
 * @param subject the part that changed: {@code rule payments}
 * @param text the change, or a description of an added part; empty for a removed one
 */
public record RuleChange(Kind kind, String subject, String text) {
  /** Kind of change. */
  public enum Kind {
    ADDED,
    REMOVED,
    CHANGED
  }

  /** Escapes control characters: names come from documents and may be shown in a terminal. */
  public RuleChange {
    subject = Messages.printable(subject);
    text = Messages.printable(text);
  }

  /** The whole sentence: {@code rule payments: limit 5/s → 10/s (raised)}. */
  @Override
  public String toString() {
    return switch (kind) {
      case ADDED -> subject + " added: " + text;
      case REMOVED -> subject + " removed";
      case CHANGED -> subject + ": " + text;
    };
  }
}
