package io.weir.server;

import io.weir.redis.RedisOptions;
import io.weir.tier.Newcomers;
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
public record SharedStore(
    Optional<RedisOptions> redis, Optional<Hot> hot, int minInstances, int newKeysPerAddress) {
  /** Nothing is shared. */
  public static final SharedStore NONE =
      new SharedStore(Optional.empty(), Optional.empty(), 1, Newcomers.DEFAULT_MOST);

  /**
   * A Redis of their own for rules with keys that one node could not bear beside all others.
   *
   * @param rules their ids
   */
  public record Hot(RedisOptions redis, Set<String> rules) {
    public Hot {
      rules = Set.copyOf(rules);
    }
  }

  /** The same, with state in this Redis. */
  public SharedStore redis(RedisOptions options) {
    return new SharedStore(Optional.of(options), hot, minInstances, newKeysPerAddress);
  }

  /** The same, with the state of these rules in another Redis. */
  public SharedStore hot(Hot other) {
    return new SharedStore(redis, Optional.of(other), minInstances, newKeysPerAddress);
  }

  /** The same, among so many until the store has said it. */
  public SharedStore minInstances(int other) {
    return new SharedStore(redis, hot, other, newKeysPerAddress);
  }
}
