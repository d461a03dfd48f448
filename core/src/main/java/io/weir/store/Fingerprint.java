package io.weir.store;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;

/**
 * 128-bit fingerprints of keys, under a secret drawn when the process starts.
 *
 * <p>The memory table keeps a fingerprint instead of the key's text, so two things must hold: keys
 * do not meet by accident, and nobody outside can make them meet. Both follow from a strongly
 * universal hash (pair-multiply-shift): with {@code x} the characters two by two and {@code a}
 * random 64-bit numbers,
 *
 * <pre>   h(x) = (a₀ + Σ (a₂ᵢ₊₁ + x₂ᵢ)(a₂ᵢ₊₂ + x₂ᵢ₊₁)) mod 2⁶⁴  &gt;&gt; 32</pre>
 *
 * any two different keys share all four 32-bit results with probability about 2<sup>-128</sup> over
 * the choice of {@code a}, whatever the keys are. No output ever leaves the process.
 * Multiplications do not wait for each other, which makes this several times faster than SipHash on
 * short keys; keys past {@value #LONG} characters go through SHA-256 with the same kind of secret.
 */
public final class Fingerprint {
  private static final int LONG = 128;

  /** Random numbers per row: one to start with, one per two characters, and two for the length. */
  private static final int ROW = 1 + LONG / 2 + 3;

  private static final long[] A = randomRow();
  private static final long[] B = randomRow();
  private static final long[] C = randomRow();
  private static final long[] D = randomRow();

  private Fingerprint() {}

  private static long[] randomRow() {
    SecureRandom random = new SecureRandom();
    long[] row = new long[ROW];
    for (int i = 0; i < ROW; i++) {
      row[i] = random.nextLong();
    }
    return row;
  }

  /** The upper half of the fingerprint of one value. */
  public static long high(String value) {
    return value.length() > LONG ? digest(value, A[0]) : pair(value, A, B);
  }

  /** The lower half of the fingerprint of one value. */
  public static long low(String value) {
    return value.length() > LONG ? digest(value, C[0]) : pair(value, C, D);
  }

  /** The upper half of the fingerprint of a tuple. */
  public static long high(String[] parts) {
    long hash = parts.length;
    for (String part : parts) {
      hash = chain(hash, high(part), A, B);
    }
    return hash;
  }

  /** The lower half of the fingerprint of a tuple. */
  public static long low(String[] parts) {
    long hash = parts.length;
    for (String part : parts) {
      hash = chain(hash, low(part), C, D);
    }
    return hash;
  }

  /** Two hashes made into one; the order matters. */
  private static long chain(long first, long second, long[] rowA, long[] rowB) {
    int a = (int) first;
    int b = (int) (first >>> 32);
    int c = (int) second;
    int d = (int) (second >>> 32);
    long one = rowA[0] + (rowA[1] + a) * (rowA[2] + b) + (rowA[3] + c) * (rowA[4] + d);
    long two = rowB[0] + (rowB[1] + a) * (rowB[2] + b) + (rowB[3] + c) * (rowB[4] + d);
    return (one & 0xffffffff00000000L) | (two >>> 32);
  }

  private static long pair(String value, long[] rowA, long[] rowB) {
    int length = value.length();
    long one = rowA[0];
    long two = rowB[0];
    int i = 0;
    int k = 1;
    for (; i + 4 <= length; i += 4, k += 2) {
      long x = value.charAt(i) | ((long) value.charAt(i + 1) << 16);
      long y = value.charAt(i + 2) | ((long) value.charAt(i + 3) << 16);
      one += (rowA[k] + x) * (rowA[k + 1] + y);
      two += (rowB[k] + x) * (rowB[k + 1] + y);
    }
    // The rest, up to three characters, together with the length, so that padding changes nothing.
    long x = 0;
    long y = length;
    if (i < length) {
      x = value.charAt(i);
      if (i + 1 < length) {
        x |= (long) value.charAt(i + 1) << 16;
        if (i + 2 < length) {
          y |= (long) value.charAt(i + 2) << 16;
        }
      }
    }
    one += (rowA[k] + x) * (rowA[k + 1] + y);
    two += (rowB[k] + x) * (rowB[k + 1] + y);
    return (one & 0xffffffff00000000L) | (two >>> 32);
  }

  private static long digest(String value, long secret) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      for (int i = 0; i < 8; i++) {
        sha.update((byte) (secret >>> (8 * i)));
      }
      byte[] hash = sha.digest(value.getBytes(StandardCharsets.UTF_16BE));
      long first = 0;
      for (int i = 0; i < 8; i++) {
        first = (first << 8) | (hash[i] & 0xff);
      }
      return first;
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }
}
