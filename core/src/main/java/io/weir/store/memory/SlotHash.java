package io.weir.store.memory;

/** Derives a slot's home and tag in a {@link Segment} from the low half of its fingerprint. */
final class SlotHash {
  private SlotHash() {}

  /** The slot where a search begins: proportional to the fingerprint, by its upper 32 bits. */
  static int home(long low, int homes) {
    return (int) (((low >>> 32) * homes) >>> 32);
  }

  /** Seven bits that {@link #home} does not use, with the eighth set: never 0. */
  static byte tag(long low) {
    return (byte) (low | Byte.MIN_VALUE);
  }
}
