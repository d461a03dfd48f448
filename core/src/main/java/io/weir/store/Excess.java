package io.weir.store;

/**
 * What a bucket in the memory table holds beside its deficit, after calls under other numbers.
 *
 * @param units the deficit beyond the one in the slot, which larger numbers still count
 * @param until the monotonic time in µs up to which the bucket is not idle, whatever the numbers
 *     say that it was last written under
 */
record Excess(long units, long until) {
  static final Excess NONE = new Excess(0, Long.MIN_VALUE);
}
