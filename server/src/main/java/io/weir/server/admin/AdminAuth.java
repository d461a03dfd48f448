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
 * Lets those use the admin API who bring a token in {@code Authorization: Bearer}.
 *
 * <p>Whatever is brought is hashed and compared with every token there is, and so is nothing at
 * all: a request without a token, with a wrong and with an expired one takes the same way. An
 * address whose tokens fail {@value #MOST_FAILURES} times in a minute gets 429 for further bad
 * ones.
 *
 * <p>A good token always passes: otherwise anyone who shares an address with an operator could lock
 * the operator out, at the worst moment. Guessing is not slowed by that in any way that counts, as
 * tokens are random and long.
 *
 * <p>A request without {@code Authorization} is refused, but is no failure, and neither is one that
 * a browser sends for a page from elsewhere: any web page can have a browser send such requests,
 * and over plain HTTP the browser does not say for which page.
 */
public final class AdminAuth implements AccessCheck {
  static final int MOST_FAILURES = 10;
  private static final int TOKEN_BYTES = 32;

  private final List<AdminSettings.Token> tokens;
  private final @Nullable String made;
  private final TimeSource time;
  private final Limiter failures;

  public AdminAuth(AdminSettings settings, TimeSource time) {
    this.time = time;
    this.failures = Limiter.builder(Limit.perMinute(MOST_FAILURES)).time(time).build();
    if (settings.tokens().isEmpty()) {
      this.made = random();
      this.tokens =
          List.of(new AdminSettings.Token(Sha256.hex(made), AdminRole.ADMIN, Instant.MAX));
    } else {
      this.made = null;
      this.tokens = settings.tokens();
    }
  }

  private static String random() {
    byte[] bytes = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** The token that was made as none was set, if so. */
  public Optional<String> generatedToken() {
    return Optional.ofNullable(made);
  }

  @Override
  public Optional<HttpProblemException> refusal(HttpServerRequest request, @Nullable Route route) {
    if (route == null ? !isAdmin(request.path()) : route.open()) {
      return Optional.empty();
    }
    boolean ofAnotherPage = isOfAnotherPage(request);
    if (role(request).isPresent() && !ofAnotherPage) {
      return Optional.empty();
    }
    boolean failure = !ofAnotherPage && request.headers().contains(HttpHeaders.AUTHORIZATION);
    return Optional.of(
        failure
            ? failed(request)
            : HttpProblemException.unauthorized("this needs a token that is good"));
  }

  private HttpProblemException failed(HttpServerRequest request) {
    String address = ClientAddress.OF_CONNECTION.of(new VertxRequestHead(request));
    if (failures.tryAcquire(address)) {
      return HttpProblemException.unauthorized("this needs a token that is good");
    }
    return HttpProblemException.tooMany(
        "too many bad tokens from this address", wait(failures.look(address).reset()));
  }

  /** Browsers say so, and do not let pages say otherwise. */
  private static boolean isOfAnotherPage(HttpServerRequest request) {
    String site = request.getHeader("sec-fetch-site");
    return "cross-site".equals(site) || "same-site".equals(site);
  }

  /** Strangers do not learn what there is and what not. */
  private static boolean isAdmin(@Nullable String path) {
    return path != null && path.startsWith("/admin/");
  }

  /** Until the next bad token would get 401 again. */
  private static long wait(Duration untilFull) {
    long all = untilFull.toSeconds() + 1;
    return Math.max(1, all - 60L * (MOST_FAILURES - 1) / MOST_FAILURES);
  }

  /** The role of whoever sent a request; empty for somebody who has none. */
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
