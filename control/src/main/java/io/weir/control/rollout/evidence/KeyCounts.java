package io.weir.control.rollout.evidence;

import java.util.HexFormat;

/**
 * What one key of a changed rule got from both versions within a window.
 *
 * @param hash the first {@value #HASH_BITS} bits of the key's 64-bit hash
 * @param calls calls that both versions decided
 * @param refusedByOld how many the old version refused
 * @param refusedByNew how many the new version refused
 */
public record KeyCounts(long hash, long calls, long refusedByOld, long refusedByNew) {
  /** Enough to tell apart the 1,024 keys that an instance samples, also of 100 million. */
  public static final int HASH_BITS = 40;

  /** A new version may refuse this share of a key's calls more before the key counts. */
  private static final double TOLERATED_SHARE = 0.10;

  /** The bits of a 64-bit hash that evidence keeps. Their order is that of unsigned hashes. */
  public static long shortHash(long hash) {
    return hash >>> (Long.SIZE - HASH_BITS);
  }

  /** A short hash as people see it: 10 hex digits. */
  public static String hex(long hash) {
    return HexFormat.of().toHexDigits(hash, HASH_BITS / 4);
  }

  /**
   * Whether the new version refused this key and the old one did not, or the new one refused more
   * by over 10% of its calls. Calls are never compared one by one: the two buckets of a key that is
   * over both limits fall out of step, and a raise would look like harm.
   */
  public boolean isNewlyRefused() {
    return refusedByNew > 0 && refusedByOld == 0
        || refusedByNew - refusedByOld > TOLERATED_SHARE * calls;
  }

  /** How many calls the new version refused beyond those that the old one refused. */
  public long newlyRefusedCalls() {
    return Math.max(0, refusedByNew - refusedByOld);
  }

  KeyCounts plus(KeyCounts more) {
    return new KeyCounts(
        hash,
        calls + more.calls,
        refusedByOld + more.refusedByOld,
        refusedByNew + more.refusedByNew);
  }
}
