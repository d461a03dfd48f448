package io.weir.http.identity;

import io.weir.base.Fingerprint;
import org.jspecify.annotations.Nullable;

/**
 * Caches the results of signature checks. The same token comes with every request of a session, and
 * a signature check costs more than the rest of the request.
 *
 * <p>Verified and failed tokens have separate tables, so that a flood of forged tokens evicts no
 * verified one. Both are lossy, see {@link TwoWayTable}. A verified token is stored as text and
 * compared exactly. A failed one, whose length and text the attacker chooses, is stored as a keyed
 * 128-bit fingerprint.
 *
 * <p>An entry is valid only for the key set it was checked with.
 */
final class TokenCache {
  private static final int VERIFIED_SLOTS = 16_384;
  private static final int FAILED_SLOTS = 8192;

  /** The end of a token is its signature, which is practically random. */
  private static final int HASHED_CHARACTERS = 32;

  private record VerifiedToken(
      String token, JwtVerifier by, long expiresMicros, TokenClaims.Known claims) {}

  private record FailedToken(Fingerprint token, JwtVerifier by) {}

  private final TwoWayTable<VerifiedToken> verified = new TwoWayTable<>(VERIFIED_SLOTS);
  private final TwoWayTable<FailedToken> failed = new TwoWayTable<>(FAILED_SLOTS);

  /** Claims of a verified token, which is a part of {@code line}; null if it is not cached. */
  TokenClaims.@Nullable Known find(String line, int from, int to, JwtVerifier by, long wallMicros) {
    int hash = hash(line, from, to);
    for (int way = 0; way < TwoWayTable.WAYS; way++) {
      VerifiedToken entry = verified.get(hash, way);
      if (entry != null
          && entry.by == by
          && wallMicros < entry.expiresMicros
          && entry.token.length() == to - from
          && line.regionMatches(from, entry.token, 0, to - from)) {
        return entry.claims;
      }
    }
    return null;
  }

  void addVerified(
      String token, JwtVerifier by, long wallMicros, long expiresMicros, TokenClaims.Known claims) {
    verified.add(
        hash(token, 0, token.length()),
        new VerifiedToken(token, by, expiresMicros, claims),
        before -> before.by == by && wallMicros < before.expiresMicros);
  }

  private static int hash(String text, int from, int to) {
    int hash = 0;
    for (int i = Math.max(from, to - HASHED_CHARACTERS); i < to; i++) {
      hash = 31 * hash + text.charAt(i);
    }
    return hash ^ hash >>> 16;
  }

  boolean hasFailed(Fingerprint token, JwtVerifier by) {
    int hash = (int) token.low();
    return isFailed(failed.get(hash, 0), token, by) || isFailed(failed.get(hash, 1), token, by);
  }

  private static boolean isFailed(@Nullable FailedToken entry, Fingerprint token, JwtVerifier by) {
    return entry != null && entry.by == by && entry.token.equals(token);
  }

  void addFailed(Fingerprint token, JwtVerifier by) {
    failed.add((int) token.low(), new FailedToken(token, by), before -> before.by == by);
  }
}
