package io.weir.rules.diff;

import io.weir.rules.text.Messages;

/**
 * One difference between two rule sets.
 *
 * @param subject what it is about: {@code rule payments}
 * @param text what changes, or a description of what was added; empty for what was removed
 */
public record RuleChange(Kind kind, String subject, String text) {
  /** What happened to the subject. */
  public enum Kind {
    ADDED,
    REMOVED,
    CHANGED
  }

  /** Names come from documents, and must not reach a terminal as they are. */
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
