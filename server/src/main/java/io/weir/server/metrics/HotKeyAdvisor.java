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
 * @param instances how many share the store
 * @param layout what the store is made of
 * @param shadow whether a rule, by its id, only counts what it would refuse
 */
public record HotKeyAdvisor(IntSupplier instances, Layout layout, Predicate<String> shadow) {
  /**
   * What the store is made of.
   *
   * @param spreads whether it has several nodes among which keys are divided
   * @param pinned the rules that have a Redis of their own
   * @param pinnedSpreads whether that one has several nodes
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

  /** Advice on a key, if it costs the store much and something would help. */
  public Optional<HotKeyAdvice> on(HotKey key) {
    return HotKeyAdvice.on(key, this);
  }

  /** Whether more shards of a rule's bucket would come to lie on other nodes. */
  boolean spreads(String rule) {
    return layout.pinned.contains(rule) ? layout.pinnedSpreads : layout.spreads;
  }

  /** Whether a Redis of its own is worth its price: the rule has none, and refuses calls. */
  boolean isWorthOwnRedis(String rule) {
    return !layout.pinned.contains(rule) && !shadow.test(rule);
  }
}
