package io.weir;

import io.weir.store.Fingerprint;
import java.util.List;

/**
 * Whom a bucket belongs to: one value, or a tuple of them, hashed once.
 *
 * <p>Two keys are equal if all their parts are; {@code of("a", "b")} is not {@code of("a:b")}. Code
 * that decides about the same key again and again keeps its {@code Key} and saves the hashing.
 */
@SuppressWarnings("InconsistentHashCode") // the fingerprint is made of the parts
public final class Key {
  /** The key of a rule that has only one bucket. */
  public static final Key NONE = of(new String[0]);

  private final List<String> parts;
  private final long high;
  private final long low;

  private Key(List<String> parts, long high, long low) {
    this.parts = parts;
    this.high = high;
    this.low = low;
  }

  /** A key of one value. */
  public static Key of(String value) {
    return new Key(List.of(value), Fingerprint.high(value), Fingerprint.low(value));
  }

  /** A key of several values, in order. */
  public static Key of(String... values) {
    if (values.length == 1) {
      return of(values[0]);
    }
    Fingerprint print = Fingerprint.of(values);
    return new Key(List.of(values), print.high(), print.low());
  }

  /** The values. */
  public List<String> parts() {
    return parts;
  }

  /** The upper half of this key's fingerprint, which differs from process to process. */
  public long high() {
    return high;
  }

  /** The lower half of this key's fingerprint. */
  public long low() {
    return low;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Key key && parts.equals(key.parts);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(low);
  }

  /** The parts joined so that no two keys print alike; see {@link io.weir.store.KeyText}. */
  @Override
  public String toString() {
    return io.weir.store.KeyText.join(parts.toArray(String[]::new));
  }
}
