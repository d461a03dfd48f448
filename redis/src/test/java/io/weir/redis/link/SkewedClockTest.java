package io.weir.redis.link;

import static io.weir.redis.fixture.RedisStores.PATIENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.redis.RedisOptions;
import io.weir.redis.RedisOptions.Clock;
import io.weir.redis.RedisStore;
import io.weir.redis.fixture.RedisStores;
import io.weir.redis.fixture.SharedCluster;
import io.weir.redis.fixture.SkewedTime;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.Pool;
import io.weir.store.TakeResult;
import io.weir.testkit.contract.ContractCalls;
import io.weir.testkit.process.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** An instance whose clocks are wrong still decides by the clock of Redis. */
class SkewedClockTest {
  private static final Duration MONTHS = Duration.ofDays(100);
  private static final Key KEY = Key.of("key");

  private static RedisServer redis;
  private static RedisStore wrong;
  private static RedisStore right;

  @BeforeAll
  static void start() {
    redis = RedisServer.start();
    RedisOptions options = RedisOptions.of(redis.uri()).timeout(PATIENT);
    wrong = RedisStore.open(options, new SkewedTime(MONTHS));
    right = RedisStores.ready(options);
    wrong.ready().toCompletableFuture().join();
  }

  @AfterAll
  static void stop() {
    wrong.close();
    right.close();
    redis.close();
  }

  private static Pool pool(String limit, boolean countDenied) {
    String rule = "rule-" + UUID.randomUUID();
    return new Pool(rule, rule, "1", Limit.parse(limit), countDenied);
  }

  private static Draw draw(Pool pool, long amount) {
    return new Draw(pool, KEY, amount, Mode.ENFORCE, Intent.TAKE);
  }

  private static TakeResult take(RedisStore store, Draw... draws) {
    return ContractCalls.get(store.take(List.of(draws)));
  }

  private static LimitStatus look(RedisStore store, Pool pool) {
    Draw look = new Draw(pool, KEY, 1, Mode.ENFORCE, Intent.LOOK);
    return take(store, look).statuses().get(0);
  }

  @Test
  void countsInTheCalendarPeriodThatRedisIsIn() {
    for (String limit : List.of("quota 3/h", "quota 3/day", "quota 3/month")) {
      Pool pool = pool(limit, false);
      assertThat(take(wrong, draw(pool, 1)).taken()).isTrue();
      assertThat(take(right, draw(pool, 1)).taken()).isTrue();
      TakeResult third = take(wrong, draw(pool, 1));
      assertThat(third.taken()).isTrue();
      assertThat(third.statuses().get(0).remaining()).isZero();
      assertThat(take(right, draw(pool, 1)).taken()).isFalse();
      assertThat(take(wrong, draw(pool, 1)).taken()).isFalse();
    }
  }

  @Test
  void periodEndFollowsTheClockOfRedis() {
    Pool pool = pool("quota 3/month", false);
    ZonedDateTime now = Instant.now().atZone(ZoneOffset.UTC);
    Duration left =
        Duration.between(now, now.truncatedTo(ChronoUnit.DAYS).withDayOfMonth(1).plusMonths(1));
    LimitStatus status = take(wrong, draw(pool, 3)).statuses().get(0);
    assertThat(status.reset()).isBetween(left.minusMinutes(1), left);
  }

  @Test
  void countsARefusalOnceThoughItWasSentTwice() {
    Pool counting = pool("1/h burst=10", true);
    Pool quota = pool("quota 3/h", false);
    take(right, draw(counting, 10));
    take(wrong, draw(counting, 2), draw(quota, 1));
    assertThat(look(right, counting).reset())
        .isBetween(Duration.ofMinutes(12 * 60 - 1), Duration.ofMinutes(12 * 60));
    assertThat(look(right, quota).remaining()).isEqualTo(3);
  }

  @Test
  void settlesInThePeriodThatWasCharged() {
    Pool pool = pool("quota 10/h", false);
    Draw draw = new Draw(pool, KEY, 5, Mode.ENFORCE, Intent.HOLD);
    ContractCalls calls = new ContractCalls(wrong);
    var parts = calls.reserve(1, List.of(draw));
    assertThat(look(right, pool).remaining()).isEqualTo(5);
    assertThat(calls.settle(1, parts, 2)).isTrue();
    assertThat(look(right, pool).remaining()).isEqualTo(8);
    ContractCalls.get(wrong.refund(pool, KEY, 2));
    assertThat(look(right, pool).remaining()).isEqualTo(10);
  }

  @Test
  void noCallBeforeTheClockIsSynchronized() {
    String cluster = "redis-cluster://" + SharedCluster.get().addresses();
    Pool pool = pool("fixed-window 1000000/3660day aligned=true", false);
    Duration end = take(right, draw(pool, 1)).statuses().get(0).reset();
    for (String uri : List.of(redis.uri(), cluster)) {
      RedisOptions options = RedisOptions.of(uri).timeout(PATIENT).clock(Clock.INSTANCE);
      for (int i = 0; i < 3; i++) {
        try (RedisStore early = RedisStore.open(options, new SkewedTime(MONTHS))) {
          LimitStatus first = take(early, draw(pool, 1)).statuses().get(0);
          while (!first.answered()) {
            Thread.onSpinWait();
            first = take(early, draw(pool, 1)).statuses().get(0);
          }
          assertThat(first.reset()).isBetween(end.minusDays(1), end);
        }
      }
    }
  }
}
