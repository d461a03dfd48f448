package io.weir.server.config;

import io.weir.redis.RedisOptions;
import io.weir.redis.RedisOptions.Clock;
import io.weir.redis.RedisOptions.Credentials;
import io.weir.redis.RedisOptions.Tls;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Reads {@code store.redis}: address, credentials, TLS, timeout and clock. */
final class RedisSettingsReader {
  private static final String SECTION = "store.redis";
  private static final Setting URI = Setting.STORE_REDIS_URI;

  /** The maximum timeout: a later decision is of no use to a client. */
  private static final Duration MAX_TIMEOUT = Duration.ofSeconds(10);

  private final ConfigReader settings;

  RedisSettingsReader(ConfigReader settings) {
    this.settings = settings;
  }

  /** The options, if a Redis is set; errors are added to the reader. */
  Optional<RedisOptions> read() {
    Optional<RedisOptions> options =
        settings.get(URI, Optional.empty(), value -> Optional.of(RedisOptions.of(value.text())));
    if (!settings.has(URI)) {
      Setting.inside(SECTION).stream()
          .filter(settings::has)
          .findFirst()
          .ifPresent(other -> settings.addProblem(other, "has no effect without " + URI.path()));
    }
    return options.map(this::complete);
  }

  private RedisOptions complete(RedisOptions options) {
    Credentials inAddress = options.credentials();
    return options
        .credentials(
            new Credentials(
                settings.get(Setting.STORE_REDIS_USER, inAddress.user(), SettingValue::text),
                settings.get(
                    Setting.STORE_REDIS_PASSWORD, inAddress.password(), SettingValue::text)))
        .tls(tls(options))
        .timeout(
            settings.get(
                Setting.STORE_REDIS_TIMEOUT,
                options.timeout(),
                value -> value.timeout(MAX_TIMEOUT)))
        .clock(settings.get(Setting.STORE_REDIS_CLOCK, options.clock(), RedisSettingsReader::clock))
        .tagSecret(settings.get(Setting.STORE_REDIS_TAG_SECRET, "", SettingValue::secret));
  }

  private Tls tls(RedisOptions options) {
    Optional<Path> ca = file(Setting.STORE_REDIS_TLS_CA);
    Optional<Path> certificate = file(Setting.STORE_REDIS_TLS_CERT);
    Optional<Path> key = file(Setting.STORE_REDIS_TLS_KEY);
    for (Setting setting : Setting.inside(SECTION + ".tls")) {
      if (settings.has(setting) && !options.address().tls()) {
        settings.addProblem(setting, "has no effect unless the address starts with rediss");
      }
    }
    if (settings.has(Setting.STORE_REDIS_TLS_CERT) != settings.has(Setting.STORE_REDIS_TLS_KEY)) {
      Setting there =
          certificate.isPresent() ? Setting.STORE_REDIS_TLS_CERT : Setting.STORE_REDIS_TLS_KEY;
      settings.addProblem(there, "needs both the certificate and its key");
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
