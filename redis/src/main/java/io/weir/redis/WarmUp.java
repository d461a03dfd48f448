package io.weir.redis;

import io.weir.Key;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.SettlementResult;
import io.weir.limit.TakeReceipt;
import io.weir.redis.call.NoAnswerException;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.TakeResult;
import io.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Calls every script, algorithm and connection before the first real call, with keys that are not
 * in use. It reads, and releases permits that do not exist: nothing is taken and nothing is
 * written. There are enough keys to reach every primary of a Cluster, unless it has dozens of them.
 *
 * <p>Warm-up calls bypass breakers and metrics. So while there is no reply, few calls are sent: one
 * at a time per deployment, about once a second, and the others once that one is answered.
 */
final class WarmUp {
  private static final int ROUNDS = 12;
  private static final int MAX_CALLS = 28;
  private static final long NO_RESERVATION = 0;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration MAX_PAUSE = Duration.ofSeconds(1);

  private static final List<Limit> LIMITS =
      Stream.of(
              "10/s",
              "leaky-bucket 10/s",
              "fixed-window 10/s",
              "sliding-window 10/s",
              "sliding-log 10/s",
              "quota 10/day",
              "concurrency 10")
          .map(Limit::parse)
          .toList();

  private final RedisStore store;
  private final List<String> rules;
  private final TimeSource time;
  private final BooleanSupplier closed;

  /** One warm-up key, used in every way: alone, together with a bucket, and released. */
  private record WarmUpCall(Draw alone, Draw bucket, ReservedPart held) {
    /** The rule that selects the deployment (usual or hot). */
    String rule() {
      return alone.pool().rule();
    }

    private static WarmUpCall of(String rule, int number) {
      Pool pool = pool(rule, number % LIMITS.size());
      Key key = Key.of("unused-" + number);
      return new WarmUpCall(
          look(pool, key),
          look(pool(rule, 0), key),
          new ReservedPart(pool, key, 1, 1, new TakeReceipt(0, 0)));
    }

    private static Pool pool(String rule, int limit) {
      return new Pool(rule, "", "0", LIMITS.get(limit), false).withDimension("warm-up");
    }

    private static Draw look(Pool pool, Key key) {
      return new Draw(pool, key, 1, Mode.ENFORCE, Draw.Intent.LOOK, 1);
    }
  }

  /**
   * A warm-up of the deployments that hold the keys of these rules, one after the other.
   *
   * @param rules one rule id per deployment; the rules need not exist
   * @param closed whether the store has been closed
   */
  WarmUp(RedisStore store, List<String> rules, TimeSource time, BooleanSupplier closed) {
    this.store = store;
    this.rules = List.copyOf(rules);
    this.time = time;
    this.closed = closed;
  }

  /** Completes when all calls were sent and ended, answered or not. */
  CompletionStage<Void> once() {
    return sendAll().thenApply(left -> null);
  }

  /**
   * Repeats unanswered calls, with pauses. Completes when all were answered, so that every script
   * has run on every node of these keys. Fails once the store is closed.
   */
  CompletionStage<Void> untilAnswered() {
    CompletableFuture<Void> answered = new CompletableFuture<>();
    scheduleNext(sendAll(), FIRST_PAUSE, answered);
    return answered;
  }

  private void scheduleNext(
      CompletionStage<List<WarmUpCall>> sent, Duration pause, CompletableFuture<Void> answered) {
    sent.whenComplete(
        (left, problem) -> {
          if (problem != null) {
            answered.completeExceptionally(problem);
          } else if (left.isEmpty()) {
            answered.complete(null);
          } else {
            scheduleNext(
                time.delay(pause).thenCompose(waited -> retry(left)), longer(pause), answered);
          }
        });
  }

  /** Sends one call to each deployment, and the others to those that answered it. */
  private CompletionStage<List<WarmUpCall>> retry(List<WarmUpCall> left) {
    if (closed.getAsBoolean()) {
      return CompletableFuture.failedFuture(NoAnswerException.closed());
    }
    Map<String, List<WarmUpCall>> deployments =
        left.stream()
            .collect(
                Collectors.groupingBy(WarmUpCall::rule, LinkedHashMap::new, Collectors.toList()));
    CompletionStage<List<WarmUpCall>> done = CompletableFuture.completedFuture(List.of());
    for (List<WarmUpCall> deployment : deployments.values()) {
      done = done.thenCombine(retryAt(deployment), WarmUp::joined);
    }
    return done;
  }

  /** Next time another call is the first, which may go to another node. */
  private CompletionStage<List<WarmUpCall>> retryAt(List<WarmUpCall> left) {
    List<WarmUpCall> first = left.subList(0, 1);
    List<WarmUpCall> others = left.subList(1, left.size());
    return send(first)
        .thenCompose(
            unanswered ->
                unanswered.isEmpty()
                    ? send(others)
                    : CompletableFuture.completedFuture(joined(others, unanswered)));
  }

  private static List<WarmUpCall> joined(List<WarmUpCall> some, List<WarmUpCall> more) {
    return Stream.concat(some.stream(), more.stream()).toList();
  }

  private static Duration longer(Duration pause) {
    Duration twice = pause.multipliedBy(2);
    return twice.compareTo(MAX_PAUSE) < 0 ? twice : MAX_PAUSE;
  }

  /**
   * Sends all calls; returns those of the last round of each deployment that were not answered. The
   * first rounds are small: they wait for code to be loaded, and may be late.
   */
  private CompletionStage<List<WarmUpCall>> sendAll() {
    List<WarmUpCall> all = new ArrayList<>();
    CompletionStage<List<WarmUpCall>> done = CompletableFuture.completedFuture(all);
    for (String rule : rules) {
      CompletionStage<List<WarmUpCall>> sent = done;
      for (int round = 0; round < ROUNDS; round++) {
        int first = round * MAX_CALLS;
        int count = Math.min(MAX_CALLS, 1 << round);
        sent = sent.thenCompose(before -> send(calls(rule, first, count)));
      }
      done =
          sent.thenApply(
              left -> {
                all.addAll(left);
                return all;
              });
    }
    return done;
  }

  private static List<WarmUpCall> calls(String rule, int first, int count) {
    return IntStream.range(first, first + count).mapToObj(i -> WarmUpCall.of(rule, i)).toList();
  }

  /**
   * Sends calls concurrently, so that a distant node is warm soon too; returns those that were not
   * answered.
   */
  private CompletionStage<List<WarmUpCall>> send(List<WarmUpCall> calls) {
    List<WarmUpCall> left = new ArrayList<>();
    CompletionStage<Void> all = CompletableFuture.completedFuture(null);
    for (WarmUpCall call : calls) {
      all =
          all.thenCombine(
              isAnswered(call),
              (before, answered) -> {
                if (!answered) {
                  left.add(call);
                }
                return null;
              });
    }
    return all.thenApply(done -> left);
  }

  private CompletionStage<Boolean> isAnswered(WarmUpCall call) {
    CompletionStage<TakeResult> alone = store.take(List.of(call.alone));
    CompletionStage<TakeResult> both = store.take(List.of(call.alone, call.bucket));
    return store
        .release(NO_RESERVATION, List.of(call.held))
        .thenApply(released -> released != SettlementResult.UNAVAILABLE)
        .thenCombine(alone, (answered, result) -> answered && isAnswered(result))
        .thenCombine(both, (answered, result) -> answered && isAnswered(result));
  }

  private static boolean isAnswered(TakeResult result) {
    return result.statuses().stream().allMatch(LimitStatus::answered);
  }
}
