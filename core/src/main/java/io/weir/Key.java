package io.weir;

import io.weir.base.Fingerprint;
import io.weir.base.KeyEncoding;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The key of a bucket: one value such as a user id, or a tuple of values. It is hashed once.
 *
 * <p>Two keys are equal if all their parts are equal; {@code of("a", "b")} differs from {@code
 * of("a:b")}. Code that uses the same key often can keep its {@code Key} and save the hashing.
 *
 * <p>If the values of a key have more than {@value KeyEncoding#MAX_LENGTH} characters together, it
 * holds the SHA-256 digests of the long ones.
 */
@SuppressWarnings("InconsistentHashCode") // the fingerprint is a function of the parts
public final class Key {
  /** The key of a rule with a single bucket. */
  public static final Key NONE = of(new String[0]);

  /** The message for a key that is null. */
  static final String MISSING = "key must not be null";

  /** The value of a key that has one value, as most keys do. They need no list. */
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
    return ofEncoded(KeyEncoding.isDigested(value) ? KeyEncoding.digest(value) : value);
  }

  private static Key ofEncoded(String value) {
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
    return ofEncoded(KeyEncoding.digested(values));
  }

  /**
   * A key from the {@link #parts} of another key. Parts that are digests already stay as they are.
   */
  public static Key ofParts(String... parts) {
    return parts.length == 1 ? ofEncoded(parts[0]) : ofEncoded(parts);
  }

  private static Key ofEncoded(String[] values) {
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

  /** The upper half of this key's fingerprint, which is different in every process. */
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

  /** The parts as one text, which is different for every key; see {@link KeyEncoding}. */
  @Override
  public String toString() {
    return KeyEncoding.join(parts().toArray(String[]::new));
  }
}
