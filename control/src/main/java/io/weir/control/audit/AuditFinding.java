package io.weir.control.audit;

/**
 * Something wrong with a log.
 *
 * @param seq the entry at fault
 * @param detail a sentence for people
 */
public record AuditFinding(Kind kind, long seq, String detail) {
  /** What is wrong. */
  public enum Kind {
    /** The entry's fields do not give its hash. */
    CHANGED,
    /** Entries are not there, from this one on. */
    MISSING,
    /**
     * The entry does not name the hash of the entry before it: inserted, reordered or rewritten.
     */
    UNLINKED,
    /** The entry starts another epoch without a person's acceptance. */
    EPOCH,
    /** The signature is missing, by an unknown key, or wrong. */
    SIGNATURE,
    /** The head row does not name the last entry. */
    HEAD,
    /** An earlier head, seen by an instance or exported, is not part of this log. */
    WITNESS
  }
}
