package io.weir.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.FakeSharedStore;
import io.weir.Key;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.limit.LimitDivision;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.memory.MemoryStore;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/**
 * The choice of shards, and the combination of their results, with random numbers that the test
 * supplies.
 */
class ShardedExecutorTest {
  private final VirtualTime time = new VirtualTime();
  private final FakeSharedStore store =
      new FakeSharedStore(MemoryStore.builder().time(time).build());
  private final Deque<Integer> picks = new ArrayDeque<>();
  private final Deque<Long> ids = new ArrayDeque<>(List.of(1L, 2L, 3L, 4L, 5L, 6L));
  private final ShardedExecutor shards =
      new ShardedExecutor(store, ids::remove, picks::remove, time);

  private static Pool split(String rule, String limit, int shards) {
    return split(rule, limit, shards, false);
  }

  private static Pool split(String rule, String limit, int shards, boolean countDenied) {
    return new Pool(rule, rule, "1", Limit.parse(limit), countDenied)
        .sharded(LimitDivision.of(Limit.parse(limit), shards), part -> 0);
  }

  private static Draw draw(Pool pool, long amount) {
    return new Draw(pool, Key.of("42"), amount, Mode.ENFORCE, Draw.Intent.TAKE);
  }

  private static Draw shadow(Pool pool, long amount) {
    return new Draw(pool, Key.of("42"), amount, Mode.SHADOW, Draw.Intent.TAKE);
  }

  private static <T> T now(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  /**
   * Takes with these random numbers: the shard of the first attempt, and the offset to that of the
   * second.
   */
  private ShardAttempt take(List<Draw> draws, int... chosen) {
    store.asked.clear();
    for (int pick : chosen) {
      picks.add(pick);
    }
    ShardAttempt attempt = now(shards.take(draws));
    assertThat(picks).isEmpty();
    return attempt;
  }

  private List<List<Integer>> requestedShards() {
    return store.asked.stream()
        .map(draws -> draws.stream().map(draw -> draw.pool().shard()).toList())
        .toList();
  }

  private long left(Pool pool) {
    Draw look = new Draw(pool, Key.of("42"), 0, Mode.ENFORCE, Draw.Intent.LOOK);
    return now(store.table.take(List.of(look))).statuses().get(0).remaining();
  }

  @Test
  void drawsFromOneShardAndReportsTheWholeLimit() {
    Pool pool = split("rule", "40/h", 4);

    LimitStatus status = take(List.of(draw(pool, 3)), 2).result().statuses().get(0);

    assertThat(requestedShards()).containsExactly(List.of(2));
    assertThat(status.limit()).isEqualTo(Limit.perHour(40));
    assertThat(status.remaining()).isEqualTo(4 * 7);
    assertThat(status.reset()).isEqualTo(Duration.ofMinutes(18));
  }

  @Test
  void triesAnotherShardIfTheFirstRefuses() {
    Pool pool = split("rule", "40/h", 4);
    take(List.of(draw(pool, 9)), 2);

    ShardAttempt attempt = take(List.of(draw(pool, 2)), 2, 0);

    assertThat(requestedShards()).containsExactly(List.of(2), List.of(3));
    assertThat(attempt.result().taken()).isTrue();
    assertThat(attempt.draws().get(0).pool()).isSameAs(pool.shardedPool().shard(3));
    assertThat(left(pool.shardedPool().shard(2))).isEqualTo(1);
    assertThat(left(pool.shardedPool().shard(3))).isEqualTo(8);
  }

  @Test
  void bothAttemptsShareOneDeadline() {
    Pool pool = split("rule", "40/h", 4);
    Pool other = split("other", "40/h", 1);
    take(List.of(draw(pool, 10)), 2);
    time.advance(Duration.ofMillis(5));

    take(List.of(draw(other, 1), draw(pool, 2)), 2, 0);

    assertThat(store.asked.get(0)).extracting(Draw::startedMicros).containsOnly(0L);
    assertThat(store.asked.get(1)).extracting(Draw::startedMicros).containsOnly(time.micros());
  }

  @Test
  void reportsTheShorterWaitOfTwoRefusals() {
    Pool pool = split("rule", "40/h", 4);
    take(List.of(draw(pool, 10)), 2);
    time.advance(Duration.ofMinutes(1));
    take(List.of(draw(pool, 10)), 3);

    for (int first : new int[] {2, 3}) {
      // The second attempt goes from shard 2 to the next, and from shard 3 three further.
      ShardAttempt attempt = take(List.of(draw(pool, 1)), first, first == 2 ? 0 : 2);
      LimitStatus status = attempt.result().statuses().get(0);

      assertThat(attempt.result().taken()).isFalse();
      assertThat(requestedShards()).hasSize(2);
      assertThat(status.retryAfter()).contains(Duration.ofMinutes(5));
      assertThat(status.remaining()).isZero();
      assertThat(status.limit().capacity()).isEqualTo(40);
    }
  }

  @Test
  void costAboveEveryShardIsRefusedForEverWithoutRetry() {
    Pool pool = split("rule", "10/h", 4);

    ShardAttempt attempt = take(List.of(draw(pool, 4)), 3);

    assertThat(requestedShards()).hasSize(1);
    assertThat(attempt.result().taken()).isFalse();
    assertThat(attempt.result().statuses().get(0).retryAfter()).isEmpty();
  }

  @Test
  void costThatOnlyLargerShardsHoldIsDrawnFromThose() {
    Pool pool = split("rule", "10/h", 4);

    assertThat(take(List.of(draw(pool, 3)), 2).result().taken()).isTrue();
    assertThat(take(List.of(draw(pool, 3)), 2, 5).result().taken()).isTrue();
    assertThat(requestedShards()).containsExactly(List.of(0), List.of(1));
  }

  @Test
  void rulesWithEqualShardCountsUseTheSameShard() {
    take(List.of(draw(split("a", "40/h", 4), 1), draw(split("b", "400/h", 4), 1)), 7);

    assertThat(requestedShards()).containsExactly(List.of(3, 3));
  }

  @Test
  void noRetryIfAnotherLimitRefusesToo() {
    Pool pool = split("rule", "40/h", 4);
    Pool whole = new Pool("whole", "whole", "1", Limit.perHour(5), false);
    take(List.of(draw(pool, 10)), 2);
    take(List.of(draw(whole, 5)));

    ShardAttempt attempt = take(List.of(draw(pool, 1), draw(whole, 1)), 2);

    assertThat(requestedShards()).hasSize(1);
    assertThat(attempt.result().taken()).isFalse();
    assertThat(attempt.result().statuses()).extracting(LimitStatus::allowed).containsOnly(false);
  }

  @Test
  void refusedAttemptTakesNothingFromOtherLimits() {
    Pool pool = split("rule", "40/h", 4);
    Pool even = split("even", "400/h", 4);
    Pool whole = new Pool("whole", "whole", "1", Limit.perHour(5), false);
    take(List.of(draw(pool, 10)), 2);
    take(List.of(draw(pool, 9)), 3);
    List<Draw> call = List.of(draw(whole, 1), draw(even, 2), draw(pool, 1));

    assertThat(take(call, 2, 0).result().taken()).isTrue();

    // Only the refused draw has moved.
    assertThat(requestedShards()).containsExactly(List.of(-1, 2, 2), List.of(-1, 2, 3));
    assertThat(left(whole)).isEqualTo(4);
    assertThat(left(even.shardedPool().shard(2))).isEqualTo(98);

    ShardAttempt attempt = take(call, 2, 0);

    assertThat(attempt.result().taken()).isFalse();
    assertThat(attempt.result().statuses())
        .extracting(LimitStatus::allowed)
        .containsExactly(true, true, false);
    assertThat(left(whole)).isEqualTo(4);
    assertThat(left(even.shardedPool().shard(2))).isEqualTo(98);
  }

  @Test
  void noRetryForRulesThatCountRefusals() {
    Pool pool = split("rule", "40/h", 4, true);
    take(List.of(draw(pool, 10)), 2);

    assertThat(take(List.of(draw(pool, 1)), 2).result().taken()).isFalse();
    assertThat(requestedShards()).hasSize(1);
  }

  @Test
  void shadowLimitIsRetriedAloneAfterTheCallIsTaken() {
    Pool watched = split("watched", "40/h", 4);
    Pool whole = new Pool("whole", "whole", "1", Limit.perHour(5), false);
    take(List.of(draw(watched, 10)), 2);
    picks.addAll(List.of(2, 0));
    store.asked.clear();

    ShardAttempt attempt = now(shards.reserve(List.of(draw(whole, 1), shadow(watched, 4))));

    assertThat(requestedShards()).containsExactly(List.of(-1, 2), List.of(3));
    assertThat(attempt.result().statuses()).extracting(LimitStatus::allowed).containsOnly(true);
    assertThat(attempt.result().receipts()).hasSize(2);
    assertThat(attempt.draws().get(1).pool().shard()).isEqualTo(3);
    assertThat(left(whole)).isEqualTo(4);
    assertThat(left(watched.shardedPool().shard(3))).isEqualTo(6);
  }

  @Test
  void shadowLimitThatRefusesTwiceDoesNotRefuseTheCall() {
    Pool watched = split("watched", "20/h", 2);
    take(List.of(draw(watched, 10)), 0);
    take(List.of(draw(watched, 10)), 1);

    ShardAttempt attempt = take(List.of(shadow(watched, 1)), 0, 0);

    assertThat(requestedShards()).hasSize(2);
    assertThat(attempt.result().taken()).isTrue();
    assertThat(attempt.result().statuses()).extracting(LimitStatus::allowed).containsOnly(false);
  }

  @Test
  void secondAttemptHasItsOwnReservationId() {
    Pool pool = split("rule", "40/h", 4);
    take(List.of(draw(pool, 10)), 2);
    picks.addAll(List.of(2, 0));

    ShardAttempt attempt = now(shards.reserve(List.of(draw(pool, 1))));

    assertThat(attempt.result().taken()).isTrue();
    assertThat(attempt.id()).isEqualTo(2);
  }

  @Test
  void drawsOnLimitsWithoutShardsAreUnchanged() {
    Pool whole = new Pool("whole", "whole", "1", Limit.perHour(5), false);
    List<Draw> draws = List.of(draw(whole, 1));

    assertThat(take(draws).draws()).isSameAs(draws);
    assertThat(store.asked).containsExactly(draws);
  }
}
