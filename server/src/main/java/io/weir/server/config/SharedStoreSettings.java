package io.weir.server.config;

import io.weir.guard.NewKeyCap;
import io.weir.redis.RedisOptions;
import java.util.Optional;
import java.util.Set;

/**
 * Where state that the fleet shares is, and how many are taken to share it.
 *
 * @param redis where it is, if anywhere
 * @param hot where that of some rules is instead
 * @param minInstances how many instances there are until the store has said it
 * @param newKeysPerAddress how many new keys an address may bring to a rule in a minute
 */
public record SharedStoreSettings(
    Optional<RedisOptions> redis, Optional<HotRules> hot, int minInstances, int newKeysPerAddress) {
  /** Nothing is shared. */
  public static final SharedStoreSettings NONE =
      new SharedStoreSettings(Optional.empty(), Optional.empty(), 1, NewKeyCap.DEFAULT_MOST);

  /**
   * A Redis of their own for rules with keys that one node could not bear beside all others.
   *
   * @param rules their ids
   */
  public record HotRules(RedisOptions redis, Set<String> rules) {
    public HotRules {
      rules = Set.copyOf(rules);
    }
  }

  /** The same, with state in this Redis. */
  public SharedStoreSettings redis(RedisOptions options) {
    return new SharedStoreSettings(Optional.of(options), hot, minInstances, newKeysPerAddress);
  }

  /** The same, with the state of these rules in another Redis. */
  public SharedStoreSettings hot(HotRules other) {
    return new SharedStoreSettings(redis, Optional.of(other), minInstances, newKeysPerAddress);
  }

  /** The same, among so many until the store has said it. */
  public SharedStoreSettings minInstances(int other) {
    return new SharedStoreSettings(redis, hot, other, newKeysPerAddress);
  }
}
