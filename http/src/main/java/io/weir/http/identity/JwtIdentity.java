package io.weir.http.identity;

import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jwt.JWTClaimsSet;
import io.weir.http.RequestHead;
import io.weir.time.TimeSource;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Identifies callers by their signed token (JWT). A caller whose token cannot be verified is
 * anonymous.
 *
 * <p>No request waits for keys: they are loaded in the background, even if a token names an unknown
 * key. A request whose token is cached as verified does not wait; the first request with a token
 * waits for its {@link TokenVerification}.
 */
final class JwtIdentity {
  private static final String BEARER = "bearer ";

  /** Keys before the first fetch. */
  private static final JWKSet NONE = new JWKSet();

  private final JwtSettings settings;
  private final ReloadingValue<JwtVerifier> keys;
  private final TokenVerification verifier;

  private JwtIdentity(
      JwtSettings settings,
      TimeSource time,
      ReloadingValue<JwtVerifier> keys,
      Consumer<VerificationQueue.Job> queue) {
    this.settings = settings;
    this.keys = keys;
    this.verifier = new TokenVerification(keys, this::attributes, settings, time, queue);
  }

  /**
   * Token identity with these settings. A key file must exist; a URL may be unavailable, and until
   * it answers every caller is anonymous.
   *
   * @param queue runs signature checks
   * @throws IOException with the reason
   */
  static JwtIdentity by(
      JwtSettings settings, TimeSource time, Consumer<VerificationQueue.Job> queue)
      throws IOException {
    URI where = settings.jwks();
    FileSource.Parser<JwtVerifier> parser = text -> new JwtVerifier(parse(text), settings, time);
    if ("file".equals(where.getScheme())) {
      FileSource<JwtVerifier> file = new FileSource<>(Path.of(where), parser);
      return new JwtIdentity(
          settings,
          time,
          ReloadingValue.begin(where.toString(), file, time, ApiKeys.POLL_INTERVAL),
          queue);
    }
    Duration every = settings.refresh();
    JwtVerifier none = new JwtVerifier(NONE, settings, time);
    ReloadingValue<JwtVerifier> fetched =
        ReloadingValue.begin(where.toString(), new UrlSource<>(where, parser), time, every, none);
    return new JwtIdentity(settings, time, fetched, queue);
  }

  private static JWKSet parse(String text) throws IOException {
    try {
      return JWKSet.parse(text);
    } catch (ParseException | RuntimeException e) {
      throw new IOException("this is not a JSON Web Key Set", e);
    }
  }

  void tick() {
    keys.tick();
  }

  TokenCounts counts() {
    return verifier.counts();
  }

  /**
   * Claims of a request's token if they are cached. Allocates nothing.
   *
   * @return null if the token has to be checked
   */
  TokenClaims.@Nullable Known known(RequestHead head) {
    List<String> lines = head.headers("authorization");
    if (lines.size() != 1 || !lines.get(0).regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      return TokenClaims.NONE;
    }
    String line = lines.get(0);
    int from = BEARER.length();
    int to = line.length();
    while (from < to && Character.isWhitespace(line.charAt(from))) {
      from++;
    }
    while (from < to && Character.isWhitespace(line.charAt(to - 1))) {
      to--;
    }
    return from == to ? TokenClaims.NONE : verifier.find(line, from, to);
  }

  /** Claims of a request's token that is not cached, see {@link #known}. */
  TokenClaims check(RequestHead head, String address) {
    return verifier.check(
        head.headers("authorization").get(0).substring(BEARER.length()).strip(), address);
  }

  private Map<String, String> attributes(JWTClaimsSet claims) {
    Map<String, String> attributes = new HashMap<>();
    settings
        .claims()
        .forEach(
            (name, claim) -> {
              String text = text(find(claims.getClaims(), claim));
              if (!text.isEmpty()) {
                attributes.put(name, text);
              }
            });
    return Map.copyOf(attributes);
  }

  /** A claim by its name, or by its dotted path. */
  private static @Nullable Object find(Map<?, ?> claims, String name) {
    Object whole = claims.get(name);
    int dot = name.indexOf('.');
    if (whole != null || dot < 0) {
      return whole;
    }
    return claims.get(name.substring(0, dot)) instanceof Map<?, ?> inner
        ? find(inner, name.substring(dot + 1))
        : null;
  }

  /**
   * A string, a whole number or a boolean as text; empty for other types, which identify no caller.
   */
  private static String text(@Nullable Object claim) {
    return claim instanceof String || claim instanceof Long || claim instanceof Boolean
        ? claim.toString()
        : "";
  }
}
