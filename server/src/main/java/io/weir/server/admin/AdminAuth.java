package io.weir.server.admin;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.Limit;
import io.weir.Limiter;
import io.weir.control.store.Role;
import io.weir.control.store.Token;
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
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates requests to the admin API by the token in {@code Authorization: Bearer}.
 *
 * <p>The token is hashed and compared with every known token. A missing, a wrong and an expired
 * token take the same path. An address whose tokens fail {@value #MAX_FAILURES} times in a minute
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
  static final int MAX_FAILURES = 10;
  private static final int TOKEN_BYTES = 32;

  private static final int SHOWN_DIGITS = 8;

  /** A token that is known, with the identity it gives. */
  private record KnownToken(byte[] hash, Instant expires, AdminIdentity identity) {}

  private final List<KnownToken> configured;
  private final boolean adminConfigured;
  private final Supplier<List<Token>> stored;
  private final LongConsumer onUse;
  private final @Nullable String generated;
  private final TimeSource time;
  private final Limiter failures;

  /**
   * A token is generated if no token is configured and no admin token is stored.
   *
   * @param stored the stored tokens as this instance knows them
   * @param onUse takes the id of a stored token with each request that it authenticates
   */
  public AdminAuth(
      AdminSettings settings, Supplier<List<Token>> stored, LongConsumer onUse, TimeSource time) {
    this.stored = stored;
    this.onUse = onUse;
    this.time = time;
    this.failures = Limiter.builder(Limit.perMinute(MAX_FAILURES)).time(time).build();
    this.adminConfigured =
        settings.tokens().stream().anyMatch(token -> token.role() == AdminRole.ADMIN);
    if (settings.tokens().isEmpty() && !isAdminStored()) {
      this.generated = random();
      AdminIdentity identity =
          new AdminIdentity("token printed at start", AdminRole.ADMIN, OptionalLong.empty());
      this.configured =
          List.of(new KnownToken(bytes(Sha256.hex(generated)), Instant.MAX, identity));
    } else {
      this.generated = null;
      this.configured = settings.tokens().stream().map(AdminAuth::configured).toList();
    }
  }

  private boolean isAdminStored() {
    Instant now = now();
    return stored.get().stream().anyMatch(it -> it.role() == Role.ADMIN && it.isGood(now));
  }

  private static KnownToken configured(AdminSettings.Token token) {
    String label = "configured " + token.hash().substring(0, SHOWN_DIGITS);
    return new KnownToken(
        bytes(token.hash()),
        token.expires(),
        new AdminIdentity(label, token.role(), OptionalLong.empty()));
  }

  private static KnownToken stored(Token token) {
    return new KnownToken(
        bytes(token.hash()),
        token.revoked() ? Instant.MIN : token.expires().orElse(Instant.MAX),
        new AdminIdentity(
            token.label(), AdminRole.valueOf(token.role().name()), OptionalLong.of(token.id())));
  }

  private static byte[] bytes(String hash) {
    return hash.getBytes(StandardCharsets.US_ASCII);
  }

  /** Whether an admin token is configured outside of the database. */
  public boolean isAdminConfigured() {
    return adminConfigured;
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
    Optional<AdminIdentity> identity = identity(request);
    if (identity.isPresent() && !crossSite) {
      identity.get().token().ifPresent(onUse);
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
    return Math.max(1, all - 60L * (MAX_FAILURES - 1) / MAX_FAILURES);
  }

  /** The role of a request's token; empty without a valid token. */
  Optional<AdminRole> role(HttpServerRequest request) {
    return identity(request).map(AdminIdentity::role);
  }

  /** The owner of a request's token; empty without a valid token. */
  public Optional<AdminIdentity> identity(HttpServerRequest request) {
    String token = CallerAuth.bearer(request);
    byte[] hash = bytes(Sha256.hex(token == null ? "" : token));
    Instant now = now();
    AdminIdentity found = null;
    for (KnownToken known : configured) {
      if (MessageDigest.isEqual(hash, known.hash()) & known.expires().isAfter(now)) {
        found = known.identity();
      }
    }
    for (Token each : stored.get()) {
      KnownToken known = stored(each);
      if (MessageDigest.isEqual(hash, known.hash()) & known.expires().isAfter(now)) {
        found = known.identity();
      }
    }
    return Optional.ofNullable(token == null ? null : found);
  }

  private Instant now() {
    return Instant.EPOCH.plus(time.wallMicros(), ChronoUnit.MICROS);
  }
}
