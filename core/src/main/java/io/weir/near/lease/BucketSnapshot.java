package io.weir.near.lease;

/** The state of a lease's bucket at the store's last answer; times in µs. */
record BucketSnapshot(long at, long remaining, long reset) {
  long untilReset(long now) {
    return Math.max(0, reset - (now - at));
  }

  /** What a bucket of this capacity would hold now if no other instance had taken from it. */
  long refilled(long capacity, long now) {
    return reset == 0
        ? remaining
        : capacity - (long) Math.ceil((double) (capacity - remaining) * untilReset(now) / reset);
  }
}
