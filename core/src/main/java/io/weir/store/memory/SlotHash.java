package io.weir.store.memory;

/** What the low half of a fingerprint says about its slot in a {@link Segment}. */
final class SlotHash {
  private SlotHash() {}

  /** The slot where a search begins; in proportion to the fingerprint, by its upper 32 bits. */
  static int home(long low, int homes) {
    return (int) (((low >>> 32) * homes) >>> 32);
  }

  /** Seven bits that have no part in {@link #home}, with the eighth set: never 0. */
  static byte tag(long low) {
    return (byte) (low | Byte.MIN_VALUE);
  }
}
