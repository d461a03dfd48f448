package io.weir.server.metrics;

import io.weir.observe.HotKeySketch.HotKey;
import io.weir.redis.RedisAddress;
import io.weir.redis.RedisOptions;
import io.weir.server.config.SharedStoreSettings;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.function.Predicate;

/**
 * Gives advice on hot keys that fits this process: its fleet, its store and its rules.
 *
 * @param instances the number of instances that share the store
 * @param layout the layout of the store
 * @param shadow whether a rule, by its id, is in shadow mode
 */
public record HotKeyAdvisor(IntSupplier instances, Layout layout, Predicate<String> shadow) {
  /**
   * The layout of the store.
   *
   * @param spreads whether keys are distributed over several nodes
   * @param pinned the rules that have a Redis of their own
   * @param pinnedSpreads whether that Redis has several nodes
   */
  public record Layout(boolean spreads, Set<String> pinned, boolean pinnedSpreads) {
    public static Layout of(SharedStoreSettings shared) {
      return new Layout(
          shared.redis().filter(Layout::hasNodes).isPresent(),
          shared.hot().map(SharedStoreSettings.HotRules::rules).orElse(Set.of()),
          shared.hot().filter(hot -> hasNodes(hot.redis())).isPresent());
    }

    private static boolean hasNodes(RedisOptions redis) {
      RedisAddress.Topology topology = redis.address().topology();
      return topology == RedisAddress.Topology.CLUSTER || topology == RedisAddress.Topology.RING;
    }
  }

  /** Advice on a key, if it causes many calls to the store and a change would help. */
  public Optional<HotKeyAdvice> on(HotKey key) {
    return HotKeyAdvice.on(key, this);
  }

  /** Whether more shards of a rule's bucket would be placed on several nodes. */
  boolean spreads(String rule) {
    return layout.pinned.contains(rule) ? layout.pinnedSpreads : layout.spreads;
  }

  /** Whether a Redis of its own is worth suggesting: the rule has none, and enforces its limit. */
  boolean isWorthOwnRedis(String rule) {
    return !layout.pinned.contains(rule) && !shadow.test(rule);
  }
}
