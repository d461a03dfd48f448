package io.weir.server.config;

import io.weir.redis.RedisOptions;
import io.weir.redis.RedisOptions.Clock;
import io.weir.redis.RedisOptions.Credentials;
import io.weir.redis.RedisOptions.Tls;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Reads what {@code store.redis} says: where Redis is, who to be there, whom to trust. */
final class RedisSettingsReader {
  private static final String SECTION = "store.redis";
  private static final Setting URI = Setting.STORE_REDIS_URI;

  /** A decision that comes later than this helps nobody. */
  private static final Duration LONGEST_TIMEOUT = Duration.ofSeconds(10);

  private final ConfigReader settings;

  RedisSettingsReader(ConfigReader settings) {
    this.settings = settings;
  }

  /** The options, if any were set; what is wrong with them is told to the reader. */
  Optional<RedisOptions> read() {
    Optional<RedisOptions> named =
        settings.get(URI, Optional.empty(), value -> Optional.of(RedisOptions.of(value.text())));
    if (!settings.has(URI)) {
      Setting.inside(SECTION).stream()
          .filter(settings::has)
          .findFirst()
          .ifPresent(other -> settings.addProblem(other, "means nothing without " + URI.path()));
    }
    return named.map(this::complete);
  }

  private RedisOptions complete(RedisOptions named) {
    Credentials inAddress = named.credentials();
    return named
        .credentials(
            new Credentials(
                settings.get(Setting.STORE_REDIS_USER, inAddress.user(), SettingValue::text),
                settings.get(
                    Setting.STORE_REDIS_PASSWORD, inAddress.password(), SettingValue::text)))
        .tls(tls(named))
        .timeout(
            settings.get(
                Setting.STORE_REDIS_TIMEOUT,
                named.timeout(),
                value -> value.timeout(LONGEST_TIMEOUT)))
        .clock(settings.get(Setting.STORE_REDIS_CLOCK, named.clock(), RedisSettingsReader::clock))
        .tagSecret(settings.get(Setting.STORE_REDIS_TAG_SECRET, "", SettingValue::secret));
  }

  private Tls tls(RedisOptions named) {
    Optional<Path> ca = file(Setting.STORE_REDIS_TLS_CA);
    Optional<Path> certificate = file(Setting.STORE_REDIS_TLS_CERT);
    Optional<Path> key = file(Setting.STORE_REDIS_TLS_KEY);
    for (Setting setting : Setting.inside(SECTION + ".tls")) {
      if (settings.has(setting) && !named.address().tls()) {
        settings.addProblem(setting, "means nothing unless the address begins with rediss");
      }
    }
    if (settings.has(Setting.STORE_REDIS_TLS_CERT) != settings.has(Setting.STORE_REDIS_TLS_KEY)) {
      Setting there =
          certificate.isPresent() ? Setting.STORE_REDIS_TLS_CERT : Setting.STORE_REDIS_TLS_KEY;
      settings.addProblem(
          there, "a certificate and its key go together; one of the two is missing");
    }
    return certificate.isPresent() == key.isPresent()
        ? new Tls(ca, certificate, key)
        : Tls.PLATFORM;
  }

  private Optional<Path> file(Setting setting) {
    return settings.get(setting, Optional.empty(), value -> Optional.of(value.readableFile()));
  }

  private static Clock clock(SettingValue value) {
    return switch (value.text()) {
      case "store" -> Clock.STORE;
      case "instance" -> Clock.INSTANCE;
      default -> throw new IllegalArgumentException("must be 'store' or 'instance'");
    };
  }
}
