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

/** Weir as users have it: rules that match a call, and a decision with every limit's standing. */
final class WeirRulesSubject implements RedisSubject {
  /** So long that a busy machine is not taken for a store that is away. */
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final Weir weir;
  private final String[] dimensions;

  private WeirRulesSubject(
      RedisEndpoint place, Allowance allowance, int rules, String[] dimensions) {
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
    this.weir = Weir.builder().rules(set.build()).store(open(place)).build();
  }

  /** All rules are about the user, so that their buckets live together on a Cluster. */
  static WeirRulesSubject aboutUsers(RedisEndpoint place, Allowance allowance, int rules) {
    return new WeirRulesSubject(place, allowance, rules, new String[] {"user"});
  }

  /** Every rule is about something else, so that their buckets live apart on a Cluster. */
  static WeirRulesSubject aboutMuch(RedisEndpoint place, Allowance allowance, int rules) {
    String[] dimensions = new String[rules];
    for (int i = 0; i < rules; i++) {
      dimensions[i] = "dimension" + i;
    }
    return new WeirRulesSubject(place, allowance, rules, dimensions);
  }

  static Limit limit(Allowance allowance) {
    return Limit.of(allowance.rate(), Duration.ofSeconds(allowance.periodSeconds()))
        .burst(allowance.burst());
  }

  /** A store that is ready for use. */
  static RedisStore open(RedisEndpoint place) {
    String scheme = place.cluster() ? "redis-cluster://" : "redis://";
    RedisStore store =
        RedisStore.open(
            RedisOptions.of(scheme + String.join(",", place.addresses())).timeout(TIMEOUT),
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
