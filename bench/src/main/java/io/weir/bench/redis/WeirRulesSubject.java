package io.weir.bench.redis;

import io.weir.Call;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.bench.run.Allowance;
import io.weir.redis.RedisOptions;
import io.weir.redis.RedisStore;
import io.weir.rule.Accuracy;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.time.SystemTime;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Weir as users run it: rules that match a call, and a decision with the status of every limit. */
final class WeirRulesSubject implements RedisSubject {
  /** Long enough that a busy machine is not taken for an unavailable store. */
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final Weir weir;
  private final String[] dimensions;

  private WeirRulesSubject(
      RedisEndpoint endpoint, Allowance allowance, int rules, String[] dimensions) {
    this.dimensions = dimensions;
    RuleSet.Builder set = RuleSet.builder();
    for (int rule = 0; rule < rules; rule++) {
      set.rule(
          Rule.named("rule" + rule)
              .key(dimensions[rule % dimensions.length])
              .limit(limit(allowance))
              .accuracy(Accuracy.EXACT)
              .build());
    }
    this.weir = Weir.builder().rules(set.build()).store(open(endpoint)).build();
  }

  /** All rules have the user as key, so that their buckets share a slot on a Cluster. */
  static WeirRulesSubject byUser(RedisEndpoint endpoint, Allowance allowance, int rules) {
    return new WeirRulesSubject(endpoint, allowance, rules, new String[] {"user"});
  }

  /** Every rule has another key, so that their buckets are in different slots on a Cluster. */
  static WeirRulesSubject byManyKeys(RedisEndpoint endpoint, Allowance allowance, int rules) {
    String[] dimensions = new String[rules];
    for (int i = 0; i < rules; i++) {
      dimensions[i] = "dimension" + i;
    }
    return new WeirRulesSubject(endpoint, allowance, rules, dimensions);
  }

  static Limit limit(Allowance allowance) {
    return Limit.of(allowance.rate(), Duration.ofSeconds(allowance.periodSeconds()))
        .burst(allowance.burst());
  }

  /** A connected store. */
  static RedisStore open(RedisEndpoint endpoint) {
    String scheme = endpoint.cluster() ? "redis-cluster://" : "redis://";
    RedisStore store =
        RedisStore.open(
            RedisOptions.of(scheme + String.join(",", endpoint.addresses())).timeout(TIMEOUT),
            SystemTime.INSTANCE);
    try {
      store.ready().toCompletableFuture().get(30, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException("Redis cannot be reached", e);
    }
    return store;
  }

  @Override
  public CompletionStage<Boolean> ask(String key) {
    Call call = Call.of("GET", "/orders");
    for (String dimension : dimensions) {
      call = call.with(dimension, key);
    }
    return weir.checkAsync(call).thenApply(made -> made.allowed() && !made.degraded());
  }

  @Override
  public void close() {
    weir.close();
  }
}
