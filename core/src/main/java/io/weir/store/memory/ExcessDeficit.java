package io.weir.store.memory;

/**
 * The state that a bucket has beside its deficit, after calls under other numbers.
 *
 * @param units the deficit beyond the one in the slot; larger limits still count it
 * @param until the monotonic time in µs up to which the bucket is not idle, regardless of the
 *     numbers it was last written under
 */
record ExcessDeficit(long units, long until) {
  static final ExcessDeficit NONE = new ExcessDeficit(0, Long.MIN_VALUE);
}
