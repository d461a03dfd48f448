package io.weir.http.identity;

import io.weir.Fingerprint;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Remembers what signature checks found, as the same token comes with every request of a session
 * and a signature costs more than all the rest.
 *
 * <p>Verified and failed tokens have tables of their own, so that a flood of forged tokens evicts
 * no verified one. Both tables have a fixed size: an entry may use either of two neighbouring
 * places, and a newer entry evicts an older one. A verified token is kept as text and compared
 * exactly. A failed one, whose length and text the attacker chooses, is kept as a keyed 128-bit
 * fingerprint.
 *
 * <p>An entry counts for the key set it was checked with, and for no other.
 */
final class TokenCache {
  private static final int VERIFIED_PLACES = 16_384;
  private static final int FAILED_PLACES = 8192;

  /** The end of a token is its signature, which is as good as random. */
  private static final int HASHED_CHARACTERS = 32;

  private record VerifiedToken(
      String token, JwtVerifier by, long expiresMicros, TokenClaims.Known claims) {}

  private record FailedToken(Fingerprint token, JwtVerifier by) {}

  private final AtomicReferenceArray<@Nullable VerifiedToken> verified =
      new AtomicReferenceArray<>(VERIFIED_PLACES);
  private final AtomicReferenceArray<@Nullable FailedToken> failed =
      new AtomicReferenceArray<>(FAILED_PLACES);

  /** The claims of a verified token, which is a part of {@code line}; null if it has no entry. */
  TokenClaims.@Nullable Known find(String line, int from, int to, JwtVerifier by, long wallMicros) {
    int place = place(line, from, to);
    for (int way = 0; way < 2; way++) {
      VerifiedToken entry = verified.get(place ^ way);
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
    int place = place(token, 0, token.length());
    VerifiedToken first = verified.get(place);
    boolean isUsed = first != null && first.by == by && wallMicros < first.expiresMicros;
    if (isUsed) {
      verified.set(place ^ 1, first); // the older of the two goes
    }
    verified.set(place, new VerifiedToken(token, by, expiresMicros, claims));
  }

  private static int place(String text, int from, int to) {
    int hash = 0;
    for (int i = Math.max(from, to - HASHED_CHARACTERS); i < to; i++) {
      hash = 31 * hash + text.charAt(i);
    }
    return (hash ^ hash >>> 16) & VERIFIED_PLACES - 1;
  }

  boolean hasFailed(Fingerprint token, JwtVerifier by) {
    int place = (int) token.low() & FAILED_PLACES - 1;
    return isFailed(failed.get(place), token, by) || isFailed(failed.get(place ^ 1), token, by);
  }

  private static boolean isFailed(@Nullable FailedToken entry, Fingerprint token, JwtVerifier by) {
    return entry != null && entry.by == by && entry.token.equals(token);
  }

  void addFailed(Fingerprint token, JwtVerifier by) {
    int place = (int) token.low() & FAILED_PLACES - 1;
    FailedToken first = failed.get(place);
    if (first != null && first.by == by) {
      failed.set(place ^ 1, first);
    }
    failed.set(place, new FailedToken(token, by));
  }
}
