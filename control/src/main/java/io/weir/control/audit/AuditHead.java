package io.weir.control.audit;

/**
 * The end of a log at one moment; it stands for all entries before it.
 *
 * @param log the id that the log got when its database was made
 * @param epoch raised when a person accepts a log that does not continue
 * @param seq the number of the last entry; 0 for an empty log
 * @param hash the hash of the last entry; {@link #NO_HASH} for an empty log
 */
public record AuditHead(String log, long epoch, long seq, String hash) {
  /** Stands before the first entry. */
  public static final String NO_HASH = "0".repeat(64);
}
