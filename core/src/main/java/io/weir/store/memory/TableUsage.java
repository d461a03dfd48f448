package io.weir.store.memory;

import java.util.concurrent.atomic.AtomicLong;

/** Counts the bytes of a table against its maximum. Changes only when keys are added or removed. */
final class TableUsage {
  private final AtomicLong bytes = new AtomicLong();
  private final long maxBytes;
  private final long keptBytes;

  /**
   * No bytes in use.
   *
   * @param keptBytes the bytes reserved for rules that are within their share of the keys
   */
  TableUsage(long maxBytes, long keptBytes) {
    this.maxBytes = maxBytes;
    this.keptBytes = Math.min(keptBytes, maxBytes / 4);
  }

  void addBytes(long more) {
    bytes.addAndGet(more);
  }

  long bytes() {
    return bytes.get();
  }

  /** Whether all bytes are used. */
  boolean overBytes() {
    return bytes.get() >= maxBytes;
  }

  /** Whether all bytes are used except those reserved for rules within their share. */
  boolean overCommonBytes() {
    return bytes.get() >= maxBytes - keptBytes;
  }
}
