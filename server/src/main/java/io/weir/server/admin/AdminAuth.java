package io.weir.server.admin;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.Limit;
import io.weir.Limiter;
import io.weir.http.identity.ClientAddress;
import io.weir.http.identity.Sha256;
import io.weir.server.config.AdminRole;
import io.weir.server.config.AdminSettings;
import io.weir.server.front.CallerAuth;
import io.weir.server.http.AccessCheck;
import io.weir.server.http.HttpProblemException;
import io.weir.server.http.Route;
import io.weir.server.http.VertxRequestHead;
import io.weir.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates requests to the admin API by the token in {@code Authorization: Bearer}.
 *
 * <p>The token is hashed and compared with every known token. A missing, a wrong and an expired
 * token take the same path. An address whose tokens fail {@value #MOST_FAILURES} times in a minute
 * gets 429 for further invalid ones.
 *
 * <p>A valid token is always accepted. Otherwise any client that shares an address with an operator
 * could lock the operator out, at the worst moment. Accepting it does not help guessing, as tokens
 * are random and long.
 *
 * <p>A request without {@code Authorization} is refused, but does not count as a failure. The same
 * holds for a cross-site request of a browser. Any web page can make a browser send such requests,
 * and over plain HTTP the browser does not mark them as cross-site.
 */
public final class AdminAuth implements AccessCheck {
  static final int MOST_FAILURES = 10;
  private static final int TOKEN_BYTES = 32;

  private final List<AdminSettings.Token> tokens;
  private final @Nullable String generated;
  private final TimeSource time;
  private final Limiter failures;

  public AdminAuth(AdminSettings settings, TimeSource time) {
    this.time = time;
    this.failures = Limiter.builder(Limit.perMinute(MOST_FAILURES)).time(time).build();
    if (settings.tokens().isEmpty()) {
      this.generated = random();
      this.tokens =
          List.of(new AdminSettings.Token(Sha256.hex(generated), AdminRole.ADMIN, Instant.MAX));
    } else {
      this.generated = null;
      this.tokens = settings.tokens();
    }
  }

  private static String random() {
    byte[] bytes = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** The token generated at start; empty if tokens are configured. */
  public Optional<String> generatedToken() {
    return Optional.ofNullable(generated);
  }

  @Override
  public Optional<HttpProblemException> refusal(HttpServerRequest request, @Nullable Route route) {
    if (route == null ? !isAdmin(request.path()) : route.open()) {
      return Optional.empty();
    }
    boolean crossSite = isCrossSite(request);
    if (role(request).isPresent() && !crossSite) {
      return Optional.empty();
    }
    boolean failure = !crossSite && request.headers().contains(HttpHeaders.AUTHORIZATION);
    return Optional.of(
        failure ? failed(request) : HttpProblemException.unauthorized("a valid token is required"));
  }

  private HttpProblemException failed(HttpServerRequest request) {
    String address = ClientAddress.OF_CONNECTION.of(new VertxRequestHead(request));
    if (failures.tryAcquire(address)) {
      return HttpProblemException.unauthorized("a valid token is required");
    }
    return HttpProblemException.tooMany(
        "too many invalid tokens from this address", wait(failures.look(address).reset()));
  }

  /** Whether the browser marks the request as sent for another site; pages cannot forge this. */
  private static boolean isCrossSite(HttpServerRequest request) {
    String site = request.getHeader("sec-fetch-site");
    return "cross-site".equals(site) || "same-site".equals(site);
  }

  /** Unknown paths under {@code /admin/} need a token too, so that 404 does not reveal routes. */
  private static boolean isAdmin(@Nullable String path) {
    return path != null && path.startsWith("/admin/");
  }

  /** Seconds until the next invalid token gets 401 instead of 429. */
  private static long wait(Duration untilFull) {
    long all = untilFull.toSeconds() + 1;
    return Math.max(1, all - 60L * (MOST_FAILURES - 1) / MOST_FAILURES);
  }

  /** The role of a request's token; empty without a valid token. */
  Optional<AdminRole> role(HttpServerRequest request) {
    String token = CallerAuth.bearer(request);
    byte[] hash = Sha256.hex(token == null ? "" : token).getBytes(StandardCharsets.US_ASCII);
    Instant now = Instant.EPOCH.plus(time.wallMicros(), ChronoUnit.MICROS);
    AdminRole found = null;
    for (AdminSettings.Token known : tokens) {
      boolean same = MessageDigest.isEqual(hash, known.hash().getBytes(StandardCharsets.US_ASCII));
      if (same & known.expires().isAfter(now)) {
        found = known.role();
      }
    }
    return Optional.ofNullable(token == null ? null : found);
  }
}
