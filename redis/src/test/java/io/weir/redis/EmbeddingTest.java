package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Decision;
import io.weir.DecisionSource;
import io.weir.Limit;
import io.weir.OnFail;
import io.weir.Reason;
import io.weir.Weir;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.testkit.process.RedisServer;
import io.weir.time.SystemTime;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Weir on Redis inside a Java service, as docs/use/embedding.md shows it. */
class EmbeddingTest {
  private static final Call CALL = Call.of("POST", "/payments").with("user", "42");

  private static Weir weir(RedisServer server) {
    Rule two = Rule.named("two").key("user").limit(Limit.perHour(2)).onFail(OnFail.CLOSED).build();
    RedisOptions options = RedisOptions.of(server.uri()).timeout(Duration.ofSeconds(2));
    RedisStore redis = RedisStore.open(options, SystemTime.INSTANCE);
    redis
        .ready()
        .toCompletableFuture()
        .orTimeout(9, TimeUnit.SECONDS)
        .exceptionally(late -> null)
        .join();
    return Weir.builder().rules(RuleSet.of(two)).store(redis).build();
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
}
