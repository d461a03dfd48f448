package io.weir.store;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many keys and bytes a table holds, and how many it may. Changes only when keys come and go.
 */
final class Usage {
  private final AtomicLong keys = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final long maxKeys;
  private final long maxBytes;

  Usage(long maxKeys, long maxBytes) {
    this.maxKeys = maxKeys;
    this.maxBytes = maxBytes;
  }

  void addKeys(long more) {
    keys.addAndGet(more);
  }

  void addBytes(long more) {
    bytes.addAndGet(more);
  }

  long keys() {
    return keys.get();
  }

  long bytes() {
    return bytes.get();
  }

  boolean full() {
    return keys.get() >= maxKeys || overBytes();
  }

  boolean overBytes() {
    return bytes.get() >= maxBytes;
  }
}
