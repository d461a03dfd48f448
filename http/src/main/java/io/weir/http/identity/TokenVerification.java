package io.weir.http.identity;

import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.weir.Limit;
import io.weir.Limiter;
import io.weir.base.Fingerprint;
import io.weir.time.TimeSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Verifies tokens at a bounded cost. A signature check costs more than the rest of a request, and a
 * forged signature costs as much as a valid one, so it comes last:
 *
 * <pre>
 *   cache of verified tokens   → known, on the event loop
 *   budget of the address      → absent: too many signatures from it failed
 *   cache of failed tokens     → absent
 *   form, key, time, audience  → absent
 *   queue                      → absent if it is full, or the wait was too long
 *   signature                  → known; or absent, and charged to the address
 * </pre>
 *
 * <p>An address is charged for failures only, and after the check: any number of valid tokens may
 * be new behind one address at once, as after a restart. The budget is checked again when a token
 * leaves the queue, so a burst of forged tokens costs as many checks as the budget allows, and at
 * most one more for each thread.
 */
final class TokenVerification {
  private static final int MAX_ADDRESSES = 100_000;

  private final ReloadingValue<JwtVerifier> keys;
  private final Function<JWTClaimsSet, Map<String, String>> attributes;
  private final long leewayMicros;
  private final long longestWaitMicros;
  private final TimeSource time;
  private final Consumer<VerificationQueue.Job> queue;
  private final Limiter failures;
  private final TokenCache cache = new TokenCache();
  private final TokenCounts counts;

  /**
   * Verifies tokens with these keys.
   *
   * @param attributes maps the claims of a valid token to attributes
   */
  TokenVerification(
      ReloadingValue<JwtVerifier> keys,
      Function<JWTClaimsSet, Map<String, String>> attributes,
      JwtSettings settings,
      TimeSource time,
      Consumer<VerificationQueue.Job> queue) {
    this.keys = keys;
    this.attributes = attributes;
    this.leewayMicros = settings.leeway().toMillis() * 1000;
    this.longestWaitMicros = settings.checks().longestWait().toMillis() * 1000;
    this.time = time;
    this.queue = queue;
    this.counts = new TokenCounts(time, settings.checks().longestWait());
    this.failures =
        Limiter.builder(Limit.perMinute(settings.checks().failures()))
            .maxKeys(MAX_ADDRESSES)
            .time(time)
            .build();
  }

  TokenCounts counts() {
    return counts;
  }

  /** Claims of the token in this part of {@code line}; null if it is not cached as verified. */
  TokenClaims.@Nullable Known find(String line, int from, int to) {
    return cache.find(line, from, to, keys.get(), time.wallMicros());
  }

  /** Claims of a token that is not cached as verified. */
  TokenClaims check(String token, String address) {
    if (isOverBudget(address)) {
      return absent(TokenOutcome.OVER_BUDGET);
    }
    JwtVerifier by = keys.get();
    Fingerprint fingerprint = Fingerprint.of(token);
    if (cache.hasFailed(fingerprint, by)) {
      return absent(TokenOutcome.FAILED);
    }
    Optional<SignedJWT> parsed = JwtVerifier.parse(token);
    if (parsed.isPresent() && by.lacksKeyOf(parsed.get())) {
      keys.refreshSoon();
    }
    if (parsed.isEmpty() || !by.screen(parsed.get())) {
      return absent(TokenOutcome.INVALID);
    }
    SignatureCheck check =
        new SignatureCheck(token, fingerprint, parsed.get(), by, address, time.micros());
    queue.accept(check);
    return new TokenClaims.Pending(check.done);
  }

  private boolean isOverBudget(String address) {
    return failures.look(address).remaining() == 0;
  }

  private TokenClaims.Known absent(TokenOutcome outcome) {
    counts.add(outcome);
    return TokenClaims.NONE;
  }

  /** A token for which only the signature check is left. */
  private final class SignatureCheck implements VerificationQueue.Job {
    final CompletableFuture<TokenClaims.Known> done = new CompletableFuture<>();
    private final String token;
    private final Fingerprint fingerprint;
    private final SignedJWT parsed;
    private final JwtVerifier by;
    private final String address;
    private final long begunMicros;

    SignatureCheck(
        String token,
        Fingerprint fingerprint,
        SignedJWT parsed,
        JwtVerifier by,
        String address,
        long begunMicros) {
      this.token = token;
      this.fingerprint = fingerprint;
      this.parsed = parsed;
      this.by = by;
      this.address = address;
      this.begunMicros = begunMicros;
    }

    @Override
    public void refuse() {
      done.complete(absent(TokenOutcome.OVERLOADED));
    }

    @Override
    public void run() {
      TokenClaims.Known claims = TokenClaims.NONE;
      try {
        claims = claims();
      } finally {
        done.complete(claims);
      }
    }

    private TokenClaims.Known claims() {
      // Another request may have had the same token checked in the meantime.
      TokenClaims.Known known = cache.find(token, 0, token.length(), by, time.wallMicros());
      if (known != null) {
        return known;
      } else if (cache.hasFailed(fingerprint, by)) {
        return absent(TokenOutcome.FAILED);
      } else if (isOverBudget(address)) {
        return absent(TokenOutcome.OVER_BUDGET);
      } else if (time.micros() - begunMicros > longestWaitMicros) {
        return absent(TokenOutcome.OVERLOADED);
      }
      return verify();
    }

    private TokenClaims.Known verify() {
      Optional<JWTClaimsSet> good = by.verify(parsed);
      if (good.isEmpty()) {
        cache.addFailed(fingerprint, by);
        failures.tryAcquire(address);
        return absent(TokenOutcome.FAILED);
      }
      TokenClaims.Known claims = new TokenClaims.Known(attributes.apply(good.get()));
      long expires = good.get().getExpirationTime().getTime() * 1000 + leewayMicros;
      cache.addVerified(token, by, time.wallMicros(), expires, claims);
      counts.add(TokenOutcome.VERIFIED);
      return claims;
    }
  }
}
