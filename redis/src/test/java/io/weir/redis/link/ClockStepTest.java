package io.weir.redis.link;

import static io.weir.redis.fixture.RedisStores.PATIENT;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.redis.RedisOptions;
import io.weir.redis.RedisStore;
import io.weir.redis.RedisStoreFactory;
import io.weir.redis.fixture.RedisStores;
import io.weir.redis.script.KeyNames;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.Pool;
import io.weir.testkit.contract.ContractCalls;
import io.weir.testkit.process.RedisServer;
import io.weir.time.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The clock of Redis steps while instances send the time along: real scripts, virtual time. */
class ClockStepTest {
  private static final Duration ONE_WAY = Duration.ofNanos(400_000);
  private static final long ROUND_TRIP = 800;
  private static final int BURST = 30;
  private static final int SECONDS = 28;

  private static RedisServer redis;
  private final VirtualTime time = new VirtualTime();
  private final Node node = new Node();
  private final List<Member> members = new ArrayList<>();
  private final Pool pool =
      new Pool("rule-" + UUID.randomUUID(), "rule", "1", Limit.parse("60/min burst=30"), false);

  /** A node whose clock can be set. */
  private final class Node implements NodeClock {
    private long offset = 1_900_000_000_000_000L;
    private Optional<ClockStep> step = Optional.empty();
    private long stepEnds;

    private long micros() {
      return time.micros() + offset;
    }

    private void step(Duration by) {
      offset += by.toNanos() / 1000;
    }

    private <T> CompletionStage<T> answer(Supplier<T> answer) {
      return time.delay(ONE_WAY)
          .thenApply(there -> answer.get())
          .thenCompose(reply -> time.delay(ONE_WAY).thenApply(back -> reply));
    }

    @Override
    public CompletionStage<List<byte[]>> time() {
      return answer(
          () ->
              List.of(
                  Long.toString(micros() / 1_000_000).getBytes(US_ASCII),
                  Long.toString(micros() % 1_000_000).getBytes(US_ASCII)));
    }

    @Override
    public CompletionStage<Optional<ClockStep>> step() {
      return answer(() -> micros() < stepEnds ? step : Optional.empty());
    }

    @Override
    public CompletionStage<?> agree(ClockStep agreed) {
      return answer(
          () -> {
            step = ClockStep.read(agreed.bytes());
            stepEnds = micros() + ClockStep.LIFE_MILLIS * 1000;
            return "OK";
          });
    }
  }

  /** An instance with a heartbeat once a second. */
  private final class Member {
    private final OffsetClock clock = new OffsetClock(time);
    private final RedisStore store;

    Member() {
      ScriptRunner runner =
          RedisClients.open(RedisOptions.of(redis.uri()).timeout(PATIENT), clock::micros);
      runner.connected().toCompletableFuture().join();
      store = RedisStoreFactory.on(runner, new KeyNames(new byte[0]), time, PATIENT);
      CompletableFuture<Void> first = clock.measureAnew(node).toCompletableFuture();
      while (!first.isDone()) {
        time.advance(Duration.ofMillis(1));
      }
      beat();
    }

    private void beat() {
      time.delay(Duration.ofSeconds(1))
          .thenRun(
              () -> {
                clock.measure(node);
                beat();
              });
    }

    int admitted() {
      Draw draw = new Draw(pool, Key.of("key"), 1, Mode.ENFORCE, Intent.TAKE);
      return ContractCalls.get(store.take(List.of(draw))).taken() ? 1 : 0;
    }
  }

  @BeforeAll
  static void start() {
    redis = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @AfterEach
  void close() {
    members.forEach(member -> member.store.close());
  }

  /** Starts this many instances with staggered heartbeats, and empties the bucket. */
  private void begin(int count) {
    for (int i = 0; i < count; i++) {
      members.add(new Member());
      time.advance(Duration.ofMillis(617));
    }
    assertThat(admitted(Duration.ofSeconds(12))).isBetween(BURST + 11, BURST + 13);
  }

  /** The number of admitted calls if all instances call in turn, all the time. */
  private int admitted(Duration during) {
    int admitted = 0;
    long end = time.micros() + during.toNanos() / 1000;
    while (time.micros() < end) {
      for (Member member : members) {
        admitted += member.admitted();
        time.advance(Duration.ofMillis(25));
        assertThat(Math.abs(member.clock.micros() - members.get(0).clock.micros()))
            .as("how far the clocks are apart")
            .isLessThanOrEqualTo(ROUND_TRIP);
      }
    }
    return admitted;
  }

  @ParameterizedTest
  @ValueSource(longs = {5, -5, 60, -60, 3600, -3600})
  void stepAdmitsNoMoreThanAForwardJumpAllows(long seconds) {
    begin(2);

    node.step(Duration.ofSeconds(seconds));
    int admitted = admitted(Duration.ofSeconds(SECONDS));

    long jump = Math.min(BURST, Math.max(0, seconds));
    System.out.printf("step of %d s: %d admitted, %d are right%n", seconds, admitted, jump + 28);
    assertThat((long) admitted).isBetween(jump + SECONDS - 2, jump + SECONDS + 1);
    assertThat(Math.abs(members.get(0).clock.micros() - node.micros()))
        .as("the clock that is followed in the end")
        .isLessThanOrEqualTo(ROUND_TRIP);
  }

  @ParameterizedTest
  @ValueSource(longs = {60, -60})
  void instanceStartedDuringAStepWaitsWithTheOthers(long seconds) {
    begin(2);
    node.step(Duration.ofSeconds(seconds));
    int admitted = admitted(Duration.ofSeconds(2));

    members.add(new Member());
    admitted += admitted(Duration.ofSeconds(SECONDS - 2));

    long jump = Math.min(BURST, Math.max(0, seconds));
    assertThat((long) admitted).isBetween(jump + SECONDS - 2, jump + SECONDS + 1);
  }

  @Test
  void twoStepsInARowAreFollowed() {
    begin(3);
    node.step(Duration.ofHours(1));
    admitted(Duration.ofSeconds(2));
    node.step(Duration.ofMinutes(-30));
    admitted(Duration.ofSeconds(10));

    for (Member member : members) {
      assertThat(Math.abs(member.clock.micros() - node.micros())).isLessThanOrEqualTo(ROUND_TRIP);
    }
  }

  /** End to end: connections, heartbeats and the key through which instances agree. */
  @Test
  @Tag("process")
  void twoStoresTakeTheStepOfARealRedisTogether() throws IOException {
    try (SteppingProxy proxy = new SteppingProxy(redis)) {
      RedisOptions options =
          RedisOptions.of(proxy.uri()).timeout(PATIENT).clock(RedisOptions.Clock.INSTANCE);
      try (RedisStore one = RedisStores.ready(options);
          RedisStore other = RedisStores.ready(options)) {
        List<RedisStore> both = List.of(one, other);
        assertThat(admitted(both, Duration.ofSeconds(1))).isLessThanOrEqualTo(BURST + 2);
        proxy.step(60);
        long begun = System.nanoTime();
        int admitted = admitted(both, Duration.ofSeconds(8));
        long passed = Duration.ofNanos(System.nanoTime() - begun).toSeconds();
        assertThat((long) admitted).isBetween(BURST + passed - 2, BURST + passed + 2);
      }
    }
  }

  private int admitted(List<RedisStore> stores, Duration during) {
    Draw draw = new Draw(pool, Key.of("key"), 1, Mode.ENFORCE, Intent.TAKE);
    int admitted = 0;
    long end = System.nanoTime() + during.toNanos();
    while (System.nanoTime() < end) {
      for (RedisStore store : stores) {
        admitted += ContractCalls.get(store.take(List.of(draw))).taken() ? 1 : 0;
      }
    }
    return admitted;
  }
}
