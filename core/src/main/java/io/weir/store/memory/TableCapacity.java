package io.weir.store.memory;

import io.weir.time.TimeSource;
import java.util.concurrent.atomic.AtomicLong;

/** Decides whether the memory table has room for another key of a rule. */
final class TableCapacity {
  private static final int EVICTION_STEPS = 64;

  final TableShares shares;
  private final TableUsage usage;
  private final TimeSource time;
  private final Runnable sweepSoon;
  private final AtomicLong overflowed = new AtomicLong();

  /**
   * The capacity of a table.
   *
   * @param sweepSoon makes the next decision sweep a part of the table and write due log lines
   */
  TableCapacity(TableShares shares, TableUsage usage, TimeSource time, Runnable sweepSoon) {
    this.shares = shares;
    this.usage = usage;
    this.time = time;
    this.sweepSoon = sweepSoon;
  }

  /** The number of draws from overflow buckets, made because there was no room for a key. */
  long overflowed() {
    return overflowed.get();
  }

  /**
   * Whether a key that is not in this segment must use an overflow bucket. Idle keys of the
   * segment, which is locked, are evicted to make room.
   */
  boolean isFullFor(RuleKeyCount rule, Segment segment, long now) {
    if (shares.hasRoomFor(rule) && hasBytesFor(rule)) {
      return false;
    }
    boolean freed = segment.evictSome(EVICTION_STEPS, now, time.wallMicros());
    if (freed && shares.hasRoomFor(rule)) {
      return false;
    }
    overflowed.incrementAndGet();
    if (shares.onNoRoom(rule, now)) {
      sweepSoon.run();
    }
    return true;
  }

  private boolean hasBytesFor(RuleKeyCount rule) {
    return shares.isWithinShare(rule) ? !usage.overBytes() : !isShortOfBytes();
  }

  /** Whether state must be stored in fewer bytes. */
  boolean isShortOfBytes() {
    return shares.areDivided() ? usage.overCommonBytes() : usage.overBytes();
  }
}
