package io.weir.server.config;

import io.weir.redis.RedisOptions;
import io.weir.redis.RedisOptions.Credentials;
import io.weir.server.config.SharedStoreSettings.HotRules;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads the settings shared with other instances: the store, the store for hot keys, and the fleet.
 */
final class SharedStoreSettingsReader {
  private static final Setting URI = Setting.STORE_HOT_URI;
  private static final Setting RULES = Setting.STORE_HOT_RULES;
  private static final int MAX_INSTANCES = 100_000;

  private final ConfigReader settings;

  SharedStoreSettingsReader(ConfigReader settings) {
    this.settings = settings;
  }

  SharedStoreSettings read() {
    Optional<RedisOptions> redis = new RedisSettingsReader(settings).read();
    return new SharedStoreSettings(redis, hot(redis), minInstances(), newKeysPerAddress());
  }

  private int minInstances() {
    return settings.get(
        Setting.FLEET_MIN_INSTANCES,
        SharedStoreSettings.NONE.minInstances(),
        value -> value.atMost(MAX_INSTANCES));
  }

  private int newKeysPerAddress() {
    return settings.get(
        settings.has(Setting.STORE_REDIS_NEW_KEYS_PER_ADDRESS)
            ? Setting.STORE_REDIS_NEW_KEYS_PER_ADDRESS
            : Setting.STORE_MEMORY_NEW_KEYS_PER_ADDRESS,
        SharedStoreSettings.NONE.newKeysPerAddress(),
        value -> value.atMost(Integer.MAX_VALUE));
  }

  /** Reads the second Redis; it inherits from the first what is not set for it. */
  private Optional<HotRules> hot(Optional<RedisOptions> redis) {
    List<String> rules = settings.list(RULES, List.of(), id -> id);
    if (!settings.has(URI)) {
      for (Setting other : List.of(RULES, Setting.STORE_HOT_USER, Setting.STORE_HOT_PASSWORD)) {
        if (settings.has(other)) {
          settings.addProblem(other, "has no effect without " + URI.path());
        }
      }
      return Optional.empty();
    }
    if (redis.isEmpty()) {
      settings.addProblem(URI, "has no effect without store.redis.uri");
      return Optional.empty();
    }
    if (rules.isEmpty()) {
      settings.addProblem(URI, "has no effect without store.hot.rules, the ids of rules");
    }
    return settings
        .get(
            URI,
            Optional.<RedisOptions>empty(),
            value -> Optional.of(RedisOptions.of(value.text())))
        .map(named -> new HotRules(inherit(redis.get(), named), Set.copyOf(rules)));
  }

  private RedisOptions inherit(RedisOptions first, RedisOptions named) {
    Credentials inAddress = named.credentials();
    return new RedisOptions(
        named.address(),
        new Credentials(
            settings.get(Setting.STORE_HOT_USER, inAddress.user(), SettingValue::text),
            settings.get(Setting.STORE_HOT_PASSWORD, inAddress.password(), SettingValue::text)),
        first.tls(),
        first.timeout(),
        first.clock(),
        first.tagSecret());
  }
}
