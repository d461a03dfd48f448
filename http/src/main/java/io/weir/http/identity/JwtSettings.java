package io.weir.http.identity;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Which tokens are accepted, and which claims become attributes.
 *
 * @param jwks location of the keys: {@code file:} or {@code https:}
 * @param issuer required issuer; empty for any
 * @param audience required audience; empty for any
 * @param claims claim by attribute name; dots lead into claims that are objects
 * @param leeway allowed clock difference in whole seconds, the resolution of tokens
 * @param refresh interval at which keys are fetched from a URL
 * @param checks bounds on the work for signatures
 */
public record JwtSettings(
    URI jwks,
    Optional<String> issuer,
    Optional<String> audience,
    Map<String, String> claims,
    Duration leeway,
    Duration refresh,
    Checks checks) {
  /** Default claims. */
  public static final Map<String, String> DEFAULT_CLAIMS = Map.of("user", "sub");

  public static final Duration DEFAULT_LEEWAY = Duration.ofSeconds(5);
  public static final Duration DEFAULT_REFRESH = Duration.ofMinutes(5);

  /**
   * Bounds on the work for signatures.
   *
   * @param failures number of failed signatures per minute and address after which unverified
   *     tokens from that address count as absent
   * @param threads number of threads that verify signatures
   * @param queue number of tokens that may wait for such a thread; further ones count as absent
   * @param longestWait a token that waits longer for such a thread counts as absent
   */
  public record Checks(int failures, int threads, int queue, Duration longestWait) {
    /** 200 ms, because proxies time out a check after about half a second. */
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
        throw new IllegalArgumentException(name + " is reserved; a token cannot set it");
      }
    }
    checkLeeway(leeway);
  }

  /**
   * Returns the leeway if it is valid.
   *
   * @throws IllegalArgumentException with the reason if it is not
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

  /** Tokens signed by these keys, whose subject is the user. */
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

  /** The same settings with a required issuer and audience. */
  public JwtSettings from(String issuer, String audience) {
    return new JwtSettings(
        jwks, Optional.of(issuer), Optional.of(audience), claims, leeway, refresh, checks);
  }

  /** The same settings with other claims. */
  public JwtSettings claims(Map<String, String> claims) {
    return new JwtSettings(jwks, issuer, audience, claims, leeway, refresh, checks);
  }

  /** The same settings with other bounds on the work for signatures. */
  public JwtSettings checks(Checks checks) {
    return new JwtSettings(jwks, issuer, audience, claims, leeway, refresh, checks);
  }
}
