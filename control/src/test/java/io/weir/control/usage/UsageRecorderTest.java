package io.weir.control.usage;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.Quota;
import io.weir.control.database.Database;
import io.weir.control.database.DatabaseSettings;
import io.weir.control.store.KeyRef;
import io.weir.engine.Engine;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.memory.MemoryStore;
import io.weir.time.VirtualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UsageRecorderTest {
  private static final Instant START = Instant.parse("2026-01-01T12:00:00Z");
  private static final Instant DAY = Instant.parse("2026-01-01T00:00:00Z");
  private static final String CELL = "here";

  @TempDir Path folder;
  private final VirtualTime time = new VirtualTime(START);
  private Database database;
  private UsageCheckpoints table;

  @BeforeEach
  void open() {
    database =
        Database.open(new DatabaseSettings.Embedded(folder.resolve("control"), "test"), time);
    table = new UsageCheckpoints(database);
  }

  @AfterEach
  void close() {
    database.close();
  }

  /** One process: an engine whose counts are in memory, or in a store that several share. */
  private final class Process {
    final Engine engine;
    final UsageRecorder recorder;

    Process(MemoryStore store) {
      engine =
          Engine.builder()
              .rules(
                  RuleSet.of(
                      Rule.named("plan")
                          .key("user")
                          .limit(Limit.quota(100, Quota.Period.DAY))
                          .build()))
              .time(time)
              .store(store)
              .followQuotas()
              .build();
      recorder =
          new UsageRecorder(engine.quotaUsage().orElseThrow(), table, time, CELL, Runnable::run);
      recorder.start();
    }

    long admitted(String user, int calls) {
      long admitted = 0;
      for (int i = 0; i < calls; i++) {
        admitted += call(user, 1).allowed() ? 1 : 0;
      }
      return admitted;
    }

    Decision call(String user, long cost) {
      return engine.check(Call.of("GET", "/").with("user", user).cost(cost));
    }
  }

  private Process process() {
    return new Process(memory());
  }

  private MemoryStore memory() {
    return MemoryStore.builder().time(time).build();
  }

  private List<Checkpoint> rows(String user) {
    return table.find("plan", List.of(KeyRef.of(List.of(user)).hash()));
  }

  @Test
  void writesCountsAboveATenthEveryTenSeconds() {
    Process process = process();
    process.admitted("busy", 40);
    process.admitted("calm", 10);
    time.advance(Duration.ofSeconds(9));
    assertThat(rows("busy")).isEmpty();
    time.advance(Duration.ofSeconds(1));

    assertThat(rows("calm")).isEmpty();
    assertThat(rows("busy")).hasSize(1);
    assertThat(rows("busy").get(0).used()).isEqualTo(40);
    assertThat(rows("busy").get(0).period()).isEqualTo(DAY);
    assertThat(rows("busy").get(0).cell()).isEqualTo(CELL);
  }

  @Test
  void writesTheLastCountsAtShutdown() {
    Process process = process();
    process.admitted("u", 40);
    process.recorder.close();

    assertThat(rows("u")).extracting(Checkpoint::used).containsExactly(40L);
  }

  @Test
  void aRestartedProcessContinuesTheCount() {
    Process first = process();
    first.admitted("u", 70);
    first.recorder.close();
    Process second = process();
    assertThat(second.admitted("u", 1)).isEqualTo(1);
    time.advance(Duration.ofSeconds(5));

    assertThat(second.recorder.restored()).isEqualTo(1);
    assertThat(second.admitted("u", 100)).isEqualTo(30);
    assertThat(second.admitted("other", 200)).isEqualTo(100);
  }

  @Test
  void aNewPeriodStartsAtZero() {
    Process first = process();
    first.admitted("u", 70);
    first.recorder.close();
    time.advance(Duration.ofDays(1));
    Process second = process();
    second.admitted("u", 1);
    time.advance(Duration.ofSeconds(5));

    assertThat(second.admitted("u", 200)).isEqualTo(99);
  }

  @Test
  void aResetStartsANewGenerationThatIsNotUndone() {
    MemoryStore shared = memory();
    Process one = new Process(shared);
    Process other = new Process(shared);
    one.admitted("u", 40);
    other.admitted("u", 40);
    time.advance(Duration.ofSeconds(10));
    assertThat(rows("u").get(0).used()).isEqualTo(80);

    one.engine.resetKey("plan", List.of("u")).toCompletableFuture().join();
    assertThat(other.admitted("u", 1)).isEqualTo(1);
    time.advance(Duration.ofSeconds(10));

    assertThat(rows("u").get(0).generation()).isEqualTo(1);
    assertThat(other.admitted("u", 200)).isEqualTo(99);
    time.advance(Duration.ofSeconds(10));
    assertThat(rows("u").get(0).used()).isEqualTo(100);
    assertThat(rows("u").get(0).generation()).isEqualTo(1);
  }

  @Test
  void aGrantStartsANewGenerationToo() {
    Process process = process();
    process.admitted("u", 100);
    time.advance(Duration.ofSeconds(10));
    process.engine.grantKey("plan", List.of("u"), 60).toCompletableFuture().join();
    time.advance(Duration.ofSeconds(2));

    assertThat(rows("u").get(0).generation()).isEqualTo(1);
    assertThat(rows("u").get(0).used()).isEqualTo(40);
    Process next = process();
    next.admitted("u", 1);
    time.advance(Duration.ofSeconds(5));
    assertThat(next.admitted("u", 200)).isEqualTo(60);
  }

  @Test
  void costsThatAreGivenBackAreNotRestored() {
    Process process = process();
    Decision reserved =
        process
            .engine
            .reserveAsync(Call.of("GET", "/").with("user", "u").cost(80))
            .toCompletableFuture()
            .join();
    time.advance(Duration.ofSeconds(10));
    assertThat(rows("u").get(0).used()).isEqualTo(80);
    process
        .engine
        .settleAsync(reserved.reservation().orElseThrow(), 5)
        .toCompletableFuture()
        .join();
    process.admitted("u", 1);
    time.advance(Duration.ofSeconds(10));

    assertThat(rows("u").get(0).generation()).isEqualTo(1);
    assertThat(process.admitted("u", 200)).isEqualTo(94);
  }

  @Test
  void instancesRestoreACountOnce() {
    Process before = process();
    before.admitted("u", 70);
    before.recorder.close();
    MemoryStore lost = memory();
    Process one = new Process(lost);
    Process other = new Process(lost);
    one.admitted("u", 1);
    other.admitted("u", 1);
    time.advance(Duration.ofSeconds(20));

    assertThat(one.recorder.restored()).isEqualTo(1);
    assertThat(one.admitted("u", 200)).isEqualTo(30);
  }

  @Test
  void aLoweredLimitIsNoLoss() {
    Process process = process();
    process.admitted("u", 90);
    time.advance(Duration.ofSeconds(10));
    process.engine.replaceRules(
        RuleSet.of(
            Rule.named("plan").key("user").limit(Limit.quota(20, Quota.Period.DAY)).build()));
    process.admitted("u", 3);
    time.advance(Duration.ofSeconds(10));
    process.engine.replaceRules(
        RuleSet.of(
            Rule.named("plan").key("user").limit(Limit.quota(200, Quota.Period.DAY)).build()));

    assertThat(process.admitted("u", 300)).isEqualTo(110);
  }
}
