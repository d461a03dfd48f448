package io.weir.server.config;

import io.weir.guard.NewKeyCap;
import io.weir.redis.RedisOptions;
import java.util.Optional;
import java.util.Set;

/**
 * The store that the fleet shares, and the assumed size of the fleet.
 *
 * @param redis the shared Redis, if any
 * @param hot another Redis for some rules, if any
 * @param minInstances the assumed number of instances until the store has reported it
 * @param newKeysPerAddress the maximum number of new keys per address, rule and minute
 */
public record SharedStoreSettings(
    Optional<RedisOptions> redis, Optional<HotRules> hot, int minInstances, int newKeysPerAddress) {
  /** No shared store. */
  public static final SharedStoreSettings NONE =
      new SharedStoreSettings(Optional.empty(), Optional.empty(), 1, NewKeyCap.DEFAULT_MOST);

  /**
   * A separate Redis for rules whose keys are too hot for a node that serves others too.
   *
   * @param rules their ids
   */
  public record HotRules(RedisOptions redis, Set<String> rules) {
    public HotRules {
      rules = Set.copyOf(rules);
    }
  }

  /** A copy with state in this Redis. */
  public SharedStoreSettings redis(RedisOptions options) {
    return new SharedStoreSettings(Optional.of(options), hot, minInstances, newKeysPerAddress);
  }

  /** A copy with the state of these rules in another Redis. */
  public SharedStoreSettings hot(HotRules other) {
    return new SharedStoreSettings(redis, Optional.of(other), minInstances, newKeysPerAddress);
  }

  /** A copy with another assumed number of instances. */
  public SharedStoreSettings minInstances(int other) {
    return new SharedStoreSettings(redis, hot, other, newKeysPerAddress);
  }
}
