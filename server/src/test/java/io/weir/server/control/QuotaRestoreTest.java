package io.weir.server.control;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.Quota;
import io.weir.control.database.Database;
import io.weir.control.database.DatabaseSettings;
import io.weir.control.usage.UsageCheckpoints;
import io.weir.control.usage.UsageRecorder;
import io.weir.engine.Engine;
import io.weir.redis.RedisOptions;
import io.weir.redis.RedisStore;
import io.weir.rule.Accuracy;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.testkit.process.RedisServer;
import io.weir.time.SystemTime;
import io.weir.time.VirtualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two instances on a real Redis that loses its data. The recorders' ticks are virtual. */
@Tag("process")
class QuotaRestoreTest {
  private static final int QUOTA = 1000;

  @TempDir Path folder;
  private final VirtualTime ticks = new VirtualTime(Instant.now());
  private final List<Engine> engines = new ArrayList<>();
  private final List<UsageRecorder> recorders = new ArrayList<>();
  private RedisServer redis;
  private Database database;

  @BeforeEach
  void start() {
    redis = RedisServer.start();
    database =
        Database.open(
            new DatabaseSettings.Embedded(folder.resolve("control"), "test"), SystemTime.INSTANCE);
  }

  @AfterEach
  void stop() {
    engines.forEach(Engine::close);
    database.close();
    redis.close();
  }

  private void startTwoInstances(Accuracy accuracy) throws Exception {
    for (int i = 0; i < 2; i++) {
      RedisStore store =
          RedisStore.open(
              RedisOptions.of(redis.uri()).timeout(Duration.ofSeconds(5)), SystemTime.INSTANCE);
      store.ready().toCompletableFuture().get(30, SECONDS);
      Engine engine =
          Engine.builder()
              .rules(
                  RuleSet.of(
                      Rule.named("plan")
                          .key("user")
                          .limit(Limit.quota(QUOTA, Quota.Period.MONTH))
                          .accuracy(accuracy)
                          .build()))
              .store(store)
              .followQuotas()
              .build();
      engines.add(engine);
      UsageRecorder recorder =
          new UsageRecorder(
              engine.quotaUsage().orElseThrow(),
              new UsageCheckpoints(database),
              ticks,
              "",
              Runnable::run);
      recorder.start();
      recorders.add(recorder);
    }
  }

  private long admitted(int calls) {
    long admitted = 0;
    for (int i = 0; i < calls; i++) {
      admitted += check(i % 2).allowed() ? 1 : 0;
    }
    return admitted;
  }

  private Decision check(int instance) {
    return engines
        .get(instance)
        .check(Call.of("GET", "/").with("user", "u").with("ip", "192.0.2.1"));
  }

  private long used() {
    Decision look =
        engines
            .get(0)
            .lookAsync(Call.of("GET", "/").with("user", "u").with("ip", "192.0.2.1"))
            .toCompletableFuture()
            .join();
    assertThat(look.degraded()).isFalse();
    return QUOTA - look.remaining();
  }

  @Test
  void countsComeBackAfterRedisWasFlushed() throws Exception {
    startTwoInstances(Accuracy.EXACT);
    assertThat(admitted(700)).isEqualTo(700);
    ticks.advance(Duration.ofSeconds(10));
    redis.command("FLUSHALL");

    // Both see the loss, and one of them restores.
    assertThat(admitted(2)).isEqualTo(2);
    assertThat(used()).isEqualTo(2);
    ticks.advance(Duration.ofSeconds(5));
    await().atMost(Duration.ofSeconds(10)).until(() -> used() >= 700);

    assertThat(used()).isEqualTo(700);
    assertThat(admitted(600)).isEqualTo(300);
    assertThat(recorders).allMatch(recorder -> recorder.restored() >= 1);
  }

  @Test
  void aSecondLossIsRestoredToo() throws Exception {
    startTwoInstances(Accuracy.EXACT);
    long admitted = admitted(400);
    for (int loss = 0; loss < 2; loss++) {
      ticks.advance(Duration.ofSeconds(10));
      redis.command("FLUSHALL");
      admitted += admitted(2);
      ticks.advance(Duration.ofSeconds(5));
      await().atMost(Duration.ofSeconds(10)).until(() -> used() >= 400);
      admitted += admitted(100);
    }
    admitted += admitted(QUOTA);

    // Only what was taken between a loss and its discovery is beyond the quota.
    assertThat(admitted).isEqualTo(QUOTA + 4);
  }

  @Test
  void countsComeBackAfterRedisRestartedEmpty() throws Exception {
    startTwoInstances(Accuracy.DEFAULT);
    assertThat(admitted(700)).isEqualTo(700);
    ticks.advance(Duration.ofSeconds(10));
    redis.kill();
    redis.restart();
    for (int i = 0; i < 2; i++) {
      int instance = i;
      await().atMost(Duration.ofSeconds(60)).until(() -> !check(instance).degraded());
    }
    assertThat(used()).isLessThan(350);
    ticks.advance(Duration.ofSeconds(5));
    await().atMost(Duration.ofSeconds(10)).until(() -> used() >= 650);

    // Leases make it inexact, by 1% of the quota on each instance.
    assertThat(admitted(2 * QUOTA)).isBetween(250L, 330L);
  }
}
