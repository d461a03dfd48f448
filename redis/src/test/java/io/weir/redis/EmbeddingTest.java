package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.weir.Call;
import io.weir.Decision;
import io.weir.DecisionSource;
import io.weir.Limit;
import io.weir.LimitExceededException;
import io.weir.Limiter;
import io.weir.OnFail;
import io.weir.Reason;
import io.weir.SettlementResult;
import io.weir.SharedLimiter;
import io.weir.Weir;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.testkit.process.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Weir on Redis inside a Java service, as in docs/use/embedding.md. */
class EmbeddingTest {
  private static final Call CALL = Call.of("POST", "/payments").with("user", "42");

  private static Weir weir(RedisServer server) {
    RedisStore redis = RedisStore.connect(patient(server));
    return Weir.builder().rules(RuleSet.of(two())).store(redis).build();
  }

  private static Rule two() {
    return Rule.named("two").key("user").limit(Limit.perHour(2)).onFail(OnFail.CLOSED).build();
  }

  private static RedisOptions patient(RedisServer server) {
    return RedisOptions.of(server.uri()).timeout(Duration.ofSeconds(2));
  }

  @Test
  void instancesShareALimitAndNoExceptionReachesACaller() {
    try (RedisServer server = RedisServer.start();
        Weir one = weir(server);
        Weir other = weir(server)) {
      assertThat(one.check(CALL).remaining()).isEqualTo(1);
      assertThat(other.check(CALL).remaining()).isZero();
      Decision refused = one.check(CALL);
      assertThat(refused.reason()).isEqualTo(Reason.LIMITED);
      assertThat(refused.source()).isEqualTo(DecisionSource.STORE);

      server.kill();
      Decision away = other.checkAsync(CALL).toCompletableFuture().join();
      assertThat(away.reason()).isEqualTo(Reason.UNAVAILABLE);
      assertThat(away.degraded()).isTrue();
    }
  }

  @Test
  void limitersByKeyShareALimitAndItsReservations() {
    try (RedisServer server = RedisServer.start();
        RedisStore one = RedisStore.connect(patient(server));
        RedisStore other = RedisStore.connect(patient(server));
        SharedLimiter here = Limiter.on(one).limit(Limit.perHour(5)).name("logins").build();
        SharedLimiter there = Limiter.on(other).limit(Limit.perHour(5)).name("logins").build()) {
      assertThat(here.reserve("user:42", 3).remaining()).isEqualTo(2);
      String reservation = there.reserve("user:42", 2).reservation().orElseThrow();
      Decision refused = here.check("user:42", 1);
      assertThat(refused.reason()).isEqualTo(Reason.LIMITED);
      assertThat(refused.rule()).contains("logins");
      assertThat(here.tryAcquire("user:43")).as("another key").isTrue();
      assertThatThrownBy(() -> here.acquire("user:42", 1, Duration.ofSeconds(1)))
          .isInstanceOf(LimitExceededException.class);

      assertThat(there.settle(reservation, 1)).isEqualTo(SettlementResult.DONE);
      assertThat(there.look("user:42").remaining()).isEqualTo(1);
      there.close();
      assertThat(Limiter.on(other).limit(Limit.perHour(5)).build().check("k").source())
          .as("the store is still open")
          .isEqualTo(DecisionSource.STORE);
    }
  }

  @Test
  void storeCountsInstancesForLocalShares() {
    Rule ten = Rule.named("ten").key("user").limit(Limit.perHour(10)).build();
    try (RedisServer server = RedisServer.start();
        RedisStore one = RedisStore.connect(patient(server));
        RedisStore other = RedisStore.connect(patient(server));
        Weir weir = Weir.builder().rules(RuleSet.of(ten)).store(one).build()) {
      await().until(() -> one.instances() == 2 && other.instances() == 2);

      server.kill();
      await().until(() -> weir.look(CALL).degraded());
      assertThat(weir.check(CALL.cost(6)).allowed()).as("more than a share of 5").isFalse();
      assertThat(weir.check(CALL.cost(5)).allowed()).isTrue();
    }
  }

  @Test
  void connectReturnsWhenRedisIsUnavailable() {
    try (RedisStore none = RedisStore.connect("redis://127.0.0.1:1");
        Weir weir = Weir.builder().rules(RuleSet.of(two())).store(none).build()) {
      assertThat(weir.check(CALL).reason()).isEqualTo(Reason.UNAVAILABLE);
    }
  }
}
