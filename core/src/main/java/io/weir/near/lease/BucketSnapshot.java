package io.weir.near.lease;

/** How a lease's bucket stood when the store was last heard. */
record BucketSnapshot(long at, long remaining, long reset) {
  long untilReset(long now) {
    return Math.max(0, reset - (now - at));
  }

  /** What a bucket of this capacity would hold now if nobody else had taken from it. */
  long refilled(long capacity, long now) {
    return reset == 0
        ? remaining
        : capacity - (long) Math.ceil((double) (capacity - remaining) * untilReset(now) / reset);
  }
}
