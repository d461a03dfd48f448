package io.weir.store.memory;

import java.util.concurrent.atomic.AtomicLong;

/** How many bytes a table holds, and how many it may. Changes only when keys come and go. */
final class TableUsage {
  private final AtomicLong bytes = new AtomicLong();
  private final long maxBytes;
  private final long keptBytes;

  /**
   * Nothing is in use.
   *
   * @param keptBytes how many of them are for rules that are within their share of the keys
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

  /** Whether all bytes are used but those that are kept for rules within their share. */
  boolean overCommonBytes() {
    return bytes.get() >= maxBytes - keptBytes;
  }
}
