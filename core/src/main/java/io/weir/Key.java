package io.weir;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Whom a bucket belongs to: one value, or a tuple of them, hashed once.
 *
 * <p>Two keys are equal if all their parts are; {@code of("a", "b")} is not {@code of("a:b")}. Code
 * that decides about the same key again and again keeps its {@code Key} and saves the hashing.
 *
 * <p>Values of more than {@value KeyEncoding#LONGEST} characters, in one key together, stand in it
 * as their SHA-256 digest.
 */
@SuppressWarnings("InconsistentHashCode") // the fingerprint is made of the parts
public final class Key {
  /** The key of a rule that has only one bucket. */
  public static final Key NONE = of(new String[0]);

  /** What is said of a key that is null. */
  static final String MISSING = "key must not be null";

  /** The value of a key that has just one; most have, and need no list. */
  private final @Nullable String only;

  private final List<String> several;
  private final long high;
  private final long low;

  private Key(@Nullable String only, List<String> several, long high, long low) {
    this.only = only;
    this.several = several;
    this.high = high;
    this.low = low;
  }

  /** A key of one value. */
  public static Key of(String value) {
    Objects.requireNonNull(value, MISSING);
    return kept(KeyEncoding.isDigested(value) ? KeyEncoding.digest(value) : value);
  }

  private static Key kept(String value) {
    return new Key(value, List.of(), Fingerprint.high(value), Fingerprint.low(value));
  }

  /** A key of several values, in order. */
  public static Key of(String... values) {
    if (values.length == 1) {
      return of(values[0]);
    }
    for (String value : values) {
      Objects.requireNonNull(value, MISSING);
    }
    return kept(KeyEncoding.digested(values));
  }

  /** A key of the parts of another one. */
  public static Key ofParts(String... parts) {
    return parts.length == 1 ? kept(parts[0]) : kept(parts);
  }

  private static Key kept(String[] values) {
    Fingerprint print = Fingerprint.of(values);
    return new Key(null, List.of(values), print.high(), print.low());
  }

  /** The values. */
  public List<String> parts() {
    return only == null ? several : List.of(only);
  }

  /** The fixed hash of a rule and this key; see {@link KeyEncoding}. */
  public long fixedHash(String rule) {
    return only == null ? KeyEncoding.hash(rule, several) : KeyEncoding.hash(rule, only);
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
    return other instanceof Key key
        && Objects.equals(only, key.only)
        && several.equals(key.several);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(low);
  }

  /** The parts joined so that no two keys print alike; see {@link KeyEncoding}. */
  @Override
  public String toString() {
    return KeyEncoding.join(parts().toArray(String[]::new));
  }
}
