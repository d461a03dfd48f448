package io.weir.control.whatif;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The keyed hash that recorded values are replaced by: SipHash-2-4 over the UTF-16 characters.
 *
 * <p>A recording needs equality only: two calls with the same user have the same word. The key
 * keeps the words from being reversed by trying all addresses or user ids. All instances of a fleet
 * need the same key, as their recordings are merged.
 */
public final class ValueHash {
  private static final long GOLDEN = 0x9e3779b97f4a7c15L;

  private final long k0;
  private final long k1;
  private final long spread;

  ValueHash(long k0, long k1) {
    this.k0 = k0;
    this.k1 = k1;
    this.spread = k0 ^ Long.rotateLeft(k1, 32);
  }

  /** The hash with a key derived from a secret that all instances of the fleet share. */
  public static ValueHash of(byte[] secret) {
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      sha256.update("weir recording".getBytes(StandardCharsets.UTF_8));
      ByteBuffer digest = ByteBuffer.wrap(sha256.digest(secret)).order(ByteOrder.LITTLE_ENDIAN);
      return new ValueHash(digest.getLong(), digest.getLong());
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  /** The hash of a text. */
  long of(String text) {
    return of(text, 0, text.length());
  }

  /** The hash of a part of a text; equals the hash of that part as a text of its own. */
  long of(String text, int from, int to) {
    Rounds rounds = new Rounds(k0, k1);
    int at = from;
    for (; to - at >= 4; at += 4) {
      rounds.add(
          text.charAt(at)
              | (long) text.charAt(at + 1) << 16
              | (long) text.charAt(at + 2) << 32
              | (long) text.charAt(at + 3) << 48);
    }
    long last = (2L * (to - from)) << 56;
    for (int shift = 0; at < to; at++, shift += 16) {
      last |= (long) text.charAt(at) << shift;
    }
    rounds.add(last);
    return rounds.end();
  }

  /**
   * The position of a caller in the sample: 32 bits, the same on all instances. Every call needs
   * it, so it starts from the text's own hash code, which is often cached. The product's upper bits
   * spread numbered callers evenly.
   */
  int position(String caller) {
    return (int) (((caller.hashCode() ^ spread) * GOLDEN) >>> Integer.SIZE);
  }

  private static final class Rounds {
    private long v0;
    private long v1;
    private long v2;
    private long v3;

    Rounds(long k0, long k1) {
      v0 = k0 ^ 0x736f6d6570736575L;
      v1 = k1 ^ 0x646f72616e646f6dL;
      v2 = k0 ^ 0x6c7967656e657261L;
      v3 = k1 ^ 0x7465646279746573L;
    }

    void add(long word) {
      v3 ^= word;
      round();
      round();
      v0 ^= word;
    }

    long end() {
      v2 ^= 0xff;
      for (int i = 0; i < 4; i++) {
        round();
      }
      return v0 ^ v1 ^ v2 ^ v3;
    }

    private void round() {
      v0 += v1;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v3;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 += v3;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 += v1;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v2 = Long.rotateLeft(v2, 32);
    }
  }
}
