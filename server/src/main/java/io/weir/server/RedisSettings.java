package io.weir.server;

import io.weir.limit.Periods;
import io.weir.redis.RedisOptions;
import io.weir.redis.RedisOptions.Clock;
import io.weir.redis.RedisOptions.Credentials;
import io.weir.redis.RedisOptions.Tls;
import io.weir.server.ConfigReader.Value;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Reads what {@code store.redis} says: where Redis is, who to be there, whom to trust. */
final class RedisSettings {
  private static final String URI = "store.redis.uri";

  /** A decision that comes later than this helps nobody. */
  private static final Duration LONGEST_TIMEOUT = Duration.ofSeconds(10);

  private static final List<String> OTHERS =
      List.of(
          "store.redis.timeout",
          "store.redis.clock",
          "store.redis.user",
          "store.redis.password",
          "store.redis.tls.ca",
          "store.redis.tls.cert",
          "store.redis.tls.key",
          "store.redis.tag_secret",
          "store.redis.new_keys_per_address");

  private final ConfigReader settings;

  RedisSettings(ConfigReader settings) {
    this.settings = settings;
  }

  /** The options, if any were set; what is wrong with them is told to the reader. */
  Optional<RedisOptions> read() {
    Optional<RedisOptions> named =
        settings.get(URI, Optional.empty(), value -> Optional.of(RedisOptions.of(value.text())));
    if (!settings.has(URI)) {
      OTHERS.stream()
          .filter(settings::has)
          .findFirst()
          .ifPresent(other -> settings.complain(other, "means nothing without " + URI));
    }
    return named.map(this::complete);
  }

  private RedisOptions complete(RedisOptions named) {
    Credentials inAddress = named.credentials();
    return named
        .credentials(
            new Credentials(
                settings.get("store.redis.user", inAddress.user(), Value::text),
                settings.get("store.redis.password", inAddress.password(), Value::text)))
        .tls(tls(named))
        .timeout(settings.get("store.redis.timeout", named.timeout(), RedisSettings::timeout))
        .clock(settings.get("store.redis.clock", named.clock(), RedisSettings::clock))
        .tagSecret(settings.get("store.redis.tag_secret", "", ConfigReader::secret));
  }

  private Tls tls(RedisOptions named) {
    Optional<Path> ca = file("store.redis.tls.ca");
    Optional<Path> certificate = file("store.redis.tls.cert");
    Optional<Path> key = file("store.redis.tls.key");
    for (String setting : OTHERS) {
      if (setting.contains(".tls.") && settings.has(setting) && !named.address().tls()) {
        settings.complain(setting, "means nothing unless the address begins with rediss");
      }
    }
    if (settings.has("store.redis.tls.cert") != settings.has("store.redis.tls.key")) {
      String there = certificate.isPresent() ? "store.redis.tls.cert" : "store.redis.tls.key";
      settings.complain(there, "a certificate and its key go together; one of the two is missing");
    }
    return certificate.isPresent() == key.isPresent()
        ? new Tls(ca, certificate, key)
        : Tls.PLATFORM;
  }

  private Optional<Path> file(String name) {
    return settings.get(
        name,
        Optional.empty(),
        value -> {
          Path path = ConfigReader.path(value);
          if (!Files.isReadable(path)) {
            throw new IllegalArgumentException(path + " cannot be read");
          }
          return Optional.of(path);
        });
  }

  private static Duration timeout(Value value) {
    Duration timeout = Periods.parse(value.text());
    if (timeout.isZero() || timeout.compareTo(LONGEST_TIMEOUT) > 0) {
      throw new IllegalArgumentException("must be from 1ms to " + Periods.print(LONGEST_TIMEOUT));
    }
    return timeout;
  }

  private static Clock clock(Value value) {
    return switch (value.text()) {
      case "store" -> Clock.STORE;
      case "instance" -> Clock.INSTANCE;
      default -> throw new IllegalArgumentException("must be 'store' or 'instance'");
    };
  }
}
