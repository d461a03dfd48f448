package io.weir.store.memory;

/**
 * What a bucket in the memory table holds beside its deficit, after calls under other numbers.
 *
 * @param units the deficit beyond the one in the slot, which larger numbers still count
 * @param until the monotonic time in µs up to which the bucket is not idle, whatever the numbers
 *     say that it was last written under
 */
record ExcessDeficit(long units, long until) {
  static final ExcessDeficit NONE = new ExcessDeficit(0, Long.MIN_VALUE);
}
