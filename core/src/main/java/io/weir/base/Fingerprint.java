package io.weir.base;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;

/**
 * A 128-bit fingerprint of a key, under a secret that is random per process.
 *
 * <p>The memory store keeps fingerprints instead of keys. So two keys must not collide by accident,
 * and a client must not be able to construct a collision. Both follow from a strongly universal
 * hash (pair-multiply-shift): with {@code x} the characters in pairs and {@code a} random 64-bit
 * numbers,
 *
 * <pre>   h(x) = (a₀ + Σ (a₂ᵢ₊₁ + x₂ᵢ)(a₂ᵢ₊₂ + x₂ᵢ₊₁)) mod 2⁶⁴  &gt;&gt; 32</pre>
 *
 * any two different keys agree in all four 32-bit results with probability about 2<sup>-128</sup>
 * over the choice of {@code a}, whatever the keys are. No output leaves the process. The
 * multiplications are independent of each other, which makes this several times faster than SipHash
 * on short keys. Keys longer than {@value #LONG} characters are first hashed by SHA-256 with the
 * same secret.
 *
 * <p>Each half is available by itself, for callers that must not allocate. Two passes over the key
 * cost less than an object that the compiler cannot eliminate.
 */
public record Fingerprint(long high, long low) {
  private static final int LONG = 128;
  private static final int HASHES = 4;

  /** Random numbers per four characters: two for each of the four hashes. */
  private static final int STEP = 2 * HASHES;

  /**
   * The initial values of the four hashes, then one step per four characters and one for the rest.
   */
  private static final long[] SECRET = random(HASHES + STEP * (LONG / 4 + 1));

  private static final long UPPER = 0xffffffff00000000L;

  private static long[] random(int count) {
    SecureRandom random = new SecureRandom();
    long[] numbers = new long[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = random.nextLong();
    }
    return numbers;
  }

  /** The fingerprint of one value. */
  public static Fingerprint of(String text) {
    return new Fingerprint(high(text), low(text));
  }

  /** The upper half of the fingerprint of one value. Allocates nothing. */
  public static long high(String text) {
    return half(text.length() > LONG ? digest(text) : text, 0);
  }

  /** The lower half of the fingerprint of one value. Allocates nothing. */
  public static long low(String text) {
    return half(text.length() > LONG ? digest(text) : text, 2);
  }

  /** The hashes {@code h} and {@code h + 1} of a value, in one long. */
  private static long half(String value, int h) {
    int length = value.length();
    long a = SECRET[h];
    long b = SECRET[h + 1];
    int i = 0;
    int k = HASHES + 2 * h;
    for (; i + 4 <= length; i += 4, k += STEP) {
      long x = two(value, i);
      long y = two(value, i + 2);
      a += product(k, x, y);
      b += product(k + 2, x, y);
    }
    // The last up to three characters and the length, so that padding cannot cause a collision.
    long x = i + 1 < length ? two(value, i) : one(value, i);
    long y = length | one(value, i + 2) << 16;
    return ((a + product(k, x, y)) & UPPER) | ((b + product(k + 2, x, y)) >>> 32);
  }

  private static long one(String value, int i) {
    return i < value.length() ? value.charAt(i) : 0;
  }

  private static long two(String value, int i) {
    return value.charAt(i) | ((long) value.charAt(i + 1) << 16);
  }

  private static long product(int k, long x, long y) {
    return (SECRET[k] + x) * (SECRET[k + 1] + y);
  }

  /** The fingerprint of a tuple. It differs from that of its parts joined in any way. */
  public static Fingerprint of(String[] parts) {
    long high = parts.length;
    long low = parts.length;
    for (String part : parts) {
      Fingerprint next = of(part);
      high = chain(high, next.high, 0);
      low = chain(low, next.low, 2);
    }
    return new Fingerprint(high, low);
  }

  /** Combines two halves by the hashes {@code h} and {@code h + 1}; the order matters. */
  private static long chain(long first, long second, int h) {
    return (chainOne(first, second, h) & UPPER) | (chainOne(first, second, h + 1) >>> 32);
  }

  private static long chainOne(long first, long second, int h) {
    int k = HASHES + 2 * h;
    return SECRET[h]
        + product(k, first << 32 >> 32, first >> 32)
        + product(k + STEP, second << 32 >> 32, second >> 32);
  }

  /**
   * The digest that replaces a long value: 32 characters that cannot be predicted without the
   * secret.
   */
  private static String digest(String value) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      for (int i = 0; i < HASHES; i++) {
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
          sha.update((byte) (SECRET[i] >>> shift));
        }
      }
      // Not by a charset: it would encode all unpaired surrogates alike.
      byte[] bytes = new byte[2 * value.length()];
      for (int i = 0; i < value.length(); i++) {
        bytes[2 * i] = (byte) (value.charAt(i) >>> 8);
        bytes[2 * i + 1] = (byte) value.charAt(i);
      }
      return new String(sha.digest(bytes), StandardCharsets.ISO_8859_1);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }
}
