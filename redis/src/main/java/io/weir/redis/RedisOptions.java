package io.weir.redis;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * How to reach Redis, and how long to wait for it.
 *
 * @param address where it is
 * @param credentials who to be there
 * @param tls which certificates to trust and to show; matters only if the address asks for TLS
 * @param timeout how long a call may take before it counts as unanswered
 * @param clock whose time decides
 * @param tagSecret if not empty, keys the hashes in names, so that nobody can choose a slot
 */
public record RedisOptions(
    RedisAddress address,
    Credentials credentials,
    Tls tls,
    Duration timeout,
    Clock clock,
    String tagSecret) {
  /** How long a call may take unless said otherwise. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofMillis(10);

  /** Whose time decides. */
  public enum Clock {
    /** Redis' own, read inside the scripts. */
    STORE,
    /** This instance's, kept to that of Redis; for services that refuse TIME in scripts. */
    INSTANCE
  }

  /**
   * An ACL user and the password; both empty for a Redis that asks for neither.
   *
   * @param user empty for the default user
   */
  public record Credentials(String user, String password) {
    public static final Credentials NONE = new Credentials("", "");

    /** The user's name as Redis knows it. */
    public String name() {
      return user.isEmpty() ? "default" : user;
    }

    /** Does not tell the password. */
    @Override
    public String toString() {
      return user.isEmpty() ? "default user" : "user " + user;
    }
  }

  /**
   * Certificates as PEM files.
   *
   * @param ca whom to trust, instead of what the platform trusts
   * @param certificate what to show to a Redis that asks for it, with {@code key}
   */
  public record Tls(Optional<Path> ca, Optional<Path> certificate, Optional<Path> key) {
    /** What the platform trusts, and nothing to show. */
    public static final Tls PLATFORM =
        new Tls(Optional.empty(), Optional.empty(), Optional.empty());

    public Tls {
      if (certificate.isPresent() != key.isPresent()) {
        throw new IllegalArgumentException(
            "a client certificate and its key go together: one of the two is missing");
      }
    }
  }

  public RedisOptions {
    if (timeout.toNanos() <= 0) {
      throw new IllegalArgumentException("timeout " + timeout + " is not longer than 0");
    }
  }

  /**
   * The defaults for an address as text, such as {@code redis://localhost:6379}.
   *
   * @throws IllegalArgumentException if it is none, with the reason
   */
  public static RedisOptions of(String uri) {
    RedisAddress address = RedisAddress.parse(uri);
    return new RedisOptions(
        address, address.credentials(), Tls.PLATFORM, DEFAULT_TIMEOUT, Clock.STORE, "");
  }

  public RedisOptions credentials(Credentials other) {
    return new RedisOptions(address, other, tls, timeout, clock, tagSecret);
  }

  public RedisOptions tls(Tls other) {
    return new RedisOptions(address, credentials, other, timeout, clock, tagSecret);
  }

  public RedisOptions timeout(Duration other) {
    return new RedisOptions(address, credentials, tls, other, clock, tagSecret);
  }

  public RedisOptions clock(Clock other) {
    return new RedisOptions(address, credentials, tls, timeout, other, tagSecret);
  }

  public RedisOptions tagSecret(String other) {
    return new RedisOptions(address, credentials, tls, timeout, clock, other);
  }

  /** Tells neither the password nor the secret. */
  @Override
  public String toString() {
    return address + " as " + credentials;
  }
}
