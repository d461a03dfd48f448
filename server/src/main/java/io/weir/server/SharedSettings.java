package io.weir.server;

import io.weir.redis.RedisOptions;
import io.weir.redis.RedisOptions.Credentials;
import io.weir.server.ConfigReader.Value;
import io.weir.server.SharedStore.Hot;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads what is shared with other instances: the store, the one for hot keys, and the fleet. */
final class SharedSettings {
  private static final String URI = "store.hot.uri";
  private static final String RULES = "store.hot.rules";
  private static final int MOST_INSTANCES = 100_000;

  private final ConfigReader settings;

  SharedSettings(ConfigReader settings) {
    this.settings = settings;
  }

  SharedStore read() {
    Optional<RedisOptions> redis = new RedisSettings(settings).read();
    return new SharedStore(redis, hot(redis), minInstances(), newKeysPerAddress());
  }

  private int minInstances() {
    return settings.get(
        "fleet.min_instances",
        SharedStore.NONE.minInstances(),
        value -> (int) Math.min(MOST_INSTANCES, ConfigReader.count(value, 1)));
  }

  private int newKeysPerAddress() {
    return settings.get(
        settings.has("store.redis.new_keys_per_address")
            ? "store.redis.new_keys_per_address"
            : "store.memory.new_keys_per_address",
        SharedStore.NONE.newKeysPerAddress(),
        value -> (int) Math.min(Integer.MAX_VALUE, ConfigReader.count(value, 1)));
  }

  /** All that is not said of the second Redis is as it is for the first. */
  private Optional<Hot> hot(Optional<RedisOptions> redis) {
    List<String> rules = settings.list(RULES, List.of(), id -> id);
    if (!settings.has(URI)) {
      for (String other : List.of(RULES, "store.hot.user", "store.hot.password")) {
        if (settings.has(other)) {
          settings.complain(other, "means nothing without " + URI);
        }
      }
      return Optional.empty();
    }
    if (redis.isEmpty()) {
      settings.complain(URI, "means nothing without store.redis.uri");
      return Optional.empty();
    }
    if (rules.isEmpty()) {
      settings.complain(URI, "means nothing without store.hot.rules, the ids of rules");
    }
    return settings
        .get(
            URI,
            Optional.<RedisOptions>empty(),
            value -> Optional.of(RedisOptions.of(value.text())))
        .map(named -> new Hot(like(redis.get(), named), Set.copyOf(rules)));
  }

  private RedisOptions like(RedisOptions first, RedisOptions named) {
    Credentials inAddress = named.credentials();
    return new RedisOptions(
        named.address(),
        new Credentials(
            settings.get("store.hot.user", inAddress.user(), Value::text),
            settings.get("store.hot.password", inAddress.password(), Value::text)),
        first.tls(),
        first.timeout(),
        first.clock(),
        first.tagSecret());
  }
}
