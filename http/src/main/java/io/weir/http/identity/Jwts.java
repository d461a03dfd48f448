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
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Tells callers apart by the signed token (JWT) they bring. One that cannot be verified, for
 * whatever reason, says nothing: its bearer is anonymous.
 *
 * <p>Nobody waits for keys: they are read in the background, also when a token names one that is
 * not known yet. What was verified is remembered until it expires, as the same token comes with
 * every request of a session and a signature costs more than all the rest. The memory has a fixed
 * number of places, and who comes to one that is taken puts the other out.
 */
final class Jwts {
  private static final String BEARER = "bearer ";
  private static final int PLACES = 4096;

  /** Nobody's keys. */
  private static final JWKSet NONE = new JWKSet();

  /** A token that was verified by these keys. */
  private record Verified(
      String token, SignedTokens by, long expiresMicros, Map<String, String> attributes) {}

  private final JwtSettings settings;
  private final TimeSource time;
  private final Refreshed<SignedTokens> keys;
  private final AtomicReferenceArray<@Nullable Verified> remembered =
      new AtomicReferenceArray<>(PLACES);

  private Jwts(JwtSettings settings, TimeSource time, Refreshed<SignedTokens> keys) {
    this.settings = settings;
    this.time = time;
    this.keys = keys;
  }

  /**
   * Tokens by these settings. A file of keys must be there; a URL may be away, and until it answers
   * everybody is anonymous.
   *
   * @throws IOException with a reason in words
   */
  static Jwts by(JwtSettings settings, TimeSource time) throws IOException {
    URI where = settings.jwks();
    FileSource.Parser<SignedTokens> parser = text -> new SignedTokens(parse(text), settings, time);
    if ("file".equals(where.getScheme())) {
      FileSource<SignedTokens> file = new FileSource<>(Path.of(where), parser);
      return new Jwts(settings, time, Refreshed.begin(where.toString(), file, time, ApiKeys.EVERY));
    }
    Duration every = settings.refresh();
    SignedTokens none = new SignedTokens(NONE, settings, time);
    Refreshed<SignedTokens> fetched =
        Refreshed.begin(where.toString(), new UrlSource<>(where, parser), time, every, none);
    return new Jwts(settings, time, fetched);
  }

  private static JWKSet parse(String text) throws IOException {
    try {
      return JWKSet.parse(text);
    } catch (ParseException | RuntimeException e) {
      throw new IOException("this is not a JSON Web Key Set", e);
    }
  }

  void turn() {
    keys.turn();
  }

  /** What a request's token says of its caller; empty if it has none that counts. */
  Map<String, String> attributes(RequestHead head) {
    List<String> lines = head.headers("authorization");
    if (lines.size() != 1 || !lines.get(0).regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      return Map.of();
    }
    String token = lines.get(0).substring(BEARER.length()).strip();
    SignedTokens now = keys.now();
    int place = token.hashCode() & PLACES - 1;
    Verified before = remembered.get(place);
    if (before != null
        && before.by == now
        && time.wallMicros() < before.expiresMicros
        && before.token.equals(token)) {
      return before.attributes;
    }
    Optional<JWTClaimsSet> claims = now.verify(token);
    if (claims.isEmpty()) {
      if (now.lacksKeyOf(token)) {
        keys.soon();
      }
      return Map.of();
    }
    long expires =
        claims.get().getExpirationTime().getTime() * 1000 + settings.leeway().toMillis() * 1000;
    Map<String, String> attributes = attributes(claims.get());
    remembered.set(place, new Verified(token, now, expires, attributes));
    return attributes;
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

  /** A claim by its name, or by the names that lead to it. */
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

  /** A text, a whole number or a flag; anything else tells nobody apart. */
  private static String text(@Nullable Object claim) {
    return claim instanceof String || claim instanceof Long || claim instanceof Boolean
        ? claim.toString()
        : "";
  }
}
