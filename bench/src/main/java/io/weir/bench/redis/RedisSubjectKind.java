package io.weir.bench.redis;

import io.github.bucket4j.distributed.proxy.optimization.DelayParameters;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.weir.bench.run.Allowance;
import java.time.Duration;

/** The limiters that are compared on Redis. */
enum RedisSubjectKind {
  FLOOR("floor: raw Lettuce, EVALSHA of GCRA"),
  WEIR("**Weir**, by rules"),
  WEIR_APART("**Weir**, rules about different things"),
  WEIR_STORE("**Weir**, store alone"),
  BUCKET4J_SYNC("Bucket4j, sync"),
  BUCKET4J_ASYNC("Bucket4j, async"),
  BUCKET4J_BATCHING("Bucket4j, async, batching"),
  BUCKET4J_DELAYING("Bucket4j, async, delaying (error without bound)"),
  REDISSON("Redisson"),
  GATEWAY("Spring Cloud Gateway");

  /** How much an instance may take before it synchronises with the others. */
  private static final DelayParameters DELAY = new DelayParameters(1000, Duration.ofMillis(100));

  /** Never refuses, and no key expires during a run, so that the memory of all can be measured. */
  private static final Allowance MANY_KEYS = new Allowance(1, 3600, 1_000_000);

  final String title;

  RedisSubjectKind(String title) {
    this.title = title;
  }

  /**
   * The limiter, connected.
   *
   * @param keys all keys of the run
   * @param rules number of buckets of each key
   */
  RedisSubject make(RedisEndpoint endpoint, String[] keys, int rules) {
    Allowance allowance = keys.length == 1 ? Allowance.ONE_KEY : MANY_KEYS;
    return switch (this) {
      case WEIR -> WeirRulesSubject.byUser(endpoint, allowance, rules);
      case WEIR_APART -> WeirRulesSubject.byManyKeys(endpoint, allowance, rules);
      case WEIR_STORE -> new WeirStoreSubject(endpoint, allowance, rules);
      default ->
          MultiRuleAdapter.of(
              ofOneRule(endpoint, allowance, MultiRuleAdapter.named(keys, rules)), rules);
    };
  }

  private RedisSubject ofOneRule(RedisEndpoint endpoint, Allowance allowance, String[] keys) {
    return switch (this) {
      case FLOOR -> new RedisBaseline(endpoint, allowance);
      case BUCKET4J_SYNC -> new Bucket4jSyncSubject(endpoint, allowance);
      case BUCKET4J_ASYNC -> Bucket4jAsyncSubject.exact(endpoint, allowance);
      case BUCKET4J_BATCHING ->
          Bucket4jAsyncSubject.with(endpoint, allowance, Optimizations.batching());
      case BUCKET4J_DELAYING ->
          Bucket4jAsyncSubject.with(endpoint, allowance, Optimizations.delaying(DELAY));
      case REDISSON -> new RedissonSubject(endpoint, keys);
      case GATEWAY -> new SpringLimiterSubject(endpoint);
      case WEIR, WEIR_APART, WEIR_STORE -> throw new IllegalStateException(this + " knows rules");
    };
  }
}
