package io.weir.http.identity;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Which tokens are believed, and what they say.
 *
 * @param jwks where the keys are: {@code file:} or {@code https:}
 * @param issuer who must have made the token, if that matters
 * @param audience for whom it must be made, if that matters
 * @param claims the attribute's name, and the claim it is taken from; dots lead into claims that
 *     are objects
 * @param leeway how far clocks may be apart, in whole seconds, as tokens count in those
 * @param refresh how often keys are fetched from a URL
 * @param checks how much work signatures may make
 */
public record JwtSettings(
    URI jwks,
    Optional<String> issuer,
    Optional<String> audience,
    Map<String, String> claims,
    Duration leeway,
    Duration refresh,
    Checks checks) {
  /** What tokens say unless told otherwise. */
  public static final Map<String, String> DEFAULT_CLAIMS = Map.of("user", "sub");

  public static final Duration DEFAULT_LEEWAY = Duration.ofSeconds(5);
  public static final Duration DEFAULT_REFRESH = Duration.ofMinutes(5);

  /**
   * How much work signatures may make.
   *
   * @param failures how many signatures from one address may fail in a minute before its unverified
   *     tokens count as absent
   * @param threads how many threads verify signatures
   * @param queue how many tokens wait for such a thread; more count as absent
   * @param longestWait a token that waits longer for such a thread counts as absent
   */
  public record Checks(int failures, int threads, int queue, Duration longestWait) {
    /** Proxies that ask for a decision time out after about half a second. */
    public static final Duration DEFAULT_WAIT = Duration.ofMillis(200);

    public static final Checks DEFAULT =
        new Checks(20, Math.max(1, Runtime.getRuntime().availableProcessors() / 4), 1000);

    public Checks {
      if (failures < 1 || threads < 1 || queue < 1) {
        throw new IllegalArgumentException("failures, threads and queue must be at least 1");
      }
    }

    /** Checks with the default wait. */
    public Checks(int failures, int threads, int queue) {
      this(failures, threads, queue, DEFAULT_WAIT);
    }
  }

  public JwtSettings {
    claims = Map.copyOf(claims);
    for (String name : claims.keySet()) {
      if (Identity.isReserved(name)) {
        throw new IllegalArgumentException(name + " is not for tokens to say");
      }
    }
    checkLeeway(leeway);
  }

  /**
   * Returns a leeway that can be given.
   *
   * @throws IllegalArgumentException with the reason if it cannot
   */
  public static Duration checkLeeway(Duration leeway) {
    if (leeway.isNegative() || leeway.compareTo(Duration.ofMinutes(5)) > 0) {
      throw new IllegalArgumentException("leeway is not between 0 and 5 minutes");
    }
    if (leeway.getNano() != 0) {
      throw new IllegalArgumentException("leeway is not in whole seconds");
    }
    return leeway;
  }

  /** Tokens signed by these keys, which say who the user is. */
  public static JwtSettings of(URI jwks) {
    return new JwtSettings(
        jwks,
        Optional.empty(),
        Optional.empty(),
        DEFAULT_CLAIMS,
        DEFAULT_LEEWAY,
        DEFAULT_REFRESH,
        Checks.DEFAULT);
  }

  /** The same, made by this issuer for this audience. */
  public JwtSettings from(String issuer, String audience) {
    return new JwtSettings(
        jwks, Optional.of(issuer), Optional.of(audience), claims, leeway, refresh, checks);
  }

  /** The same with other claims. */
  public JwtSettings claims(Map<String, String> claims) {
    return new JwtSettings(jwks, issuer, audience, claims, leeway, refresh, checks);
  }

  /** The same with other bounds on the work that signatures make. */
  public JwtSettings checks(Checks checks) {
    return new JwtSettings(jwks, issuer, audience, claims, leeway, refresh, checks);
  }
}
