package io.weir.redis;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Settings of the connection to Redis.
 *
 * @param address where Redis is
 * @param credentials the user and password
 * @param tls which certificates to trust and to present; used only if the address asks for TLS
 * @param timeout how long a call may take before it counts as unanswered
 * @param clock whose time decides
 * @param tagSecret if not empty, keys the hashes in key names, so that clients cannot choose a slot
 */
public record RedisOptions(
    RedisAddress address,
    Credentials credentials,
    Tls tls,
    Duration timeout,
    Clock clock,
    String tagSecret) {
  /** The default timeout of a call. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofMillis(10);

  /** Whose time decides. */
  public enum Clock {
    /** The clock of Redis, read inside the scripts. */
    STORE,
    /**
     * The clock of this instance, synchronized with that of Redis; for services that do not allow
     * TIME in scripts.
     */
    INSTANCE
  }

  /**
   * An ACL user and password; both empty for a Redis that requires neither.
   *
   * @param user empty for the default user
   */
  public record Credentials(String user, String password) {
    public static final Credentials NONE = new Credentials("", "");

    /** The user's name in Redis. */
    public String name() {
      return user.isEmpty() ? "default" : user;
    }

    /** Does not contain the password. */
    @Override
    public String toString() {
      return user.isEmpty() ? "default user" : "user " + user;
    }
  }

  /**
   * Certificates as PEM files.
   *
   * @param ca the authority to trust, instead of those that the platform trusts
   * @param certificate the client certificate for a Redis that requires one, with {@code key}
   */
  public record Tls(Optional<Path> ca, Optional<Path> certificate, Optional<Path> key) {
    /** Trusts what the platform trusts; no client certificate. */
    public static final Tls PLATFORM =
        new Tls(Optional.empty(), Optional.empty(), Optional.empty());

    public Tls {
      if (certificate.isPresent() != key.isPresent()) {
        throw new IllegalArgumentException(
            "a client certificate needs its key: one of the two files is missing");
      }
    }
  }

  public RedisOptions {
    if (timeout.toNanos() <= 0) {
      throw new IllegalArgumentException("timeout " + timeout + " must be greater than 0");
    }
  }

  /**
   * The defaults for an address such as {@code redis://localhost:6379}.
   *
   * @throws IllegalArgumentException if the text is not an address; the message has the reason
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

  /** Contains neither the password nor the secret. */
  @Override
  public String toString() {
    return address + " as " + credentials;
  }
}
