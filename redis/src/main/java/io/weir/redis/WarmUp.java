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
 * Asks a store about keys that nobody has, so that every script, connection and algorithm has been
 * used before the first real call. It looks, and releases what nobody holds: nothing is taken and
 * nothing written. The keys are so many that every primary of a Cluster is asked about some, unless
 * there are dozens of them.
 *
 * <p>Its calls pass by breakers and metrics. So where there is no answer, little is asked: one
 * question at a time and place, about once a second, and the others once there is an answer.
 */
final class WarmUp {
  private static final int ROUNDS = 12;
  private static final int MOST = 28;
  private static final long NO_RESERVATION = 0;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

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

  /** A key, asked about in every way: alone, together with a bucket, and to be released. */
  private record WarmUpCall(Draw alone, Draw bucket, ReservedPart held) {
    /** The rule of the place where it is asked. */
    String rule() {
      return alone.pool().rule();
    }

    private static WarmUpCall of(String rule, int number) {
      Pool pool = pool(rule, number % LIMITS.size());
      Key key = Key.of("nobody-" + number);
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
   * A warm-up of where the keys of some rules live, one place after the other.
   *
   * @param rules they need not be there
   * @param closed whether nobody wants to know any more
   */
  WarmUp(RedisStore store, List<String> rules, TimeSource time, BooleanSupplier closed) {
    this.store = store;
    this.rules = List.copyOf(rules);
    this.time = time;
    this.closed = closed;
  }

  /** Completes when everything was asked, whether it was answered or not. */
  CompletionStage<Void> once() {
    return askAll().thenApply(left -> null);
  }

  /**
   * Asks again, with pauses, what was not answered. Completes when all of it was, and so every
   * script has run wherever these keys live; fails if nobody wants to know any more.
   */
  CompletionStage<Void> untilAnswered() {
    CompletableFuture<Void> answered = new CompletableFuture<>();
    scheduleNext(askAll(), FIRST_PAUSE, answered);
    return answered;
  }

  private void scheduleNext(
      CompletionStage<List<WarmUpCall>> asked, Duration pause, CompletableFuture<Void> answered) {
    asked.whenComplete(
        (left, problem) -> {
          if (problem != null) {
            answered.completeExceptionally(problem);
          } else if (left.isEmpty()) {
            answered.complete(null);
          } else {
            scheduleNext(
                time.delay(pause).thenCompose(rested -> again(left)), longer(pause), answered);
          }
        });
  }

  /** Asks one question of each place, and the others of those where it is answered. */
  private CompletionStage<List<WarmUpCall>> again(List<WarmUpCall> left) {
    if (closed.getAsBoolean()) {
      return CompletableFuture.failedFuture(NoAnswerException.closed());
    }
    Map<String, List<WarmUpCall>> places =
        left.stream()
            .collect(
                Collectors.groupingBy(WarmUpCall::rule, LinkedHashMap::new, Collectors.toList()));
    CompletionStage<List<WarmUpCall>> done = CompletableFuture.completedFuture(List.of());
    for (List<WarmUpCall> place : places.values()) {
      done = done.thenCombine(againAt(place), WarmUp::joined);
    }
    return done;
  }

  /** The next time another is the first: it may be of another node. */
  private CompletionStage<List<WarmUpCall>> againAt(List<WarmUpCall> left) {
    List<WarmUpCall> first = left.subList(0, 1);
    List<WarmUpCall> others = left.subList(1, left.size());
    return ask(first)
        .thenCompose(
            silent ->
                silent.isEmpty()
                    ? ask(others)
                    : CompletableFuture.completedFuture(joined(others, silent)));
  }

  private static List<WarmUpCall> joined(List<WarmUpCall> some, List<WarmUpCall> more) {
    return Stream.concat(some.stream(), more.stream()).toList();
  }

  private static Duration longer(Duration pause) {
    Duration twice = pause.multipliedBy(2);
    return twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
  }

  /**
   * Asks everywhere; tells what was not answered in the last round of a place. The first rounds are
   * small: they wait for code to be loaded, and may be late.
   */
  private CompletionStage<List<WarmUpCall>> askAll() {
    List<WarmUpCall> all = new ArrayList<>();
    CompletionStage<List<WarmUpCall>> done = CompletableFuture.completedFuture(all);
    for (String rule : rules) {
      CompletionStage<List<WarmUpCall>> asked = done;
      for (int round = 0; round < ROUNDS; round++) {
        int first = round * MOST;
        int count = Math.min(MOST, 1 << round);
        asked = asked.thenCompose(before -> ask(questions(rule, first, count)));
      }
      done =
          asked.thenApply(
              left -> {
                all.addAll(left);
                return all;
              });
    }
    return done;
  }

  private static List<WarmUpCall> questions(String rule, int first, int count) {
    return IntStream.range(first, first + count).mapToObj(i -> WarmUpCall.of(rule, i)).toList();
  }

  /**
   * Asks questions at once, so that a node far away is warm soon too; tells those that were not
   * answered.
   */
  private CompletionStage<List<WarmUpCall>> ask(List<WarmUpCall> questions) {
    List<WarmUpCall> left = new ArrayList<>();
    CompletionStage<Void> all = CompletableFuture.completedFuture(null);
    for (WarmUpCall question : questions) {
      all =
          all.thenCombine(
              isAnswered(question),
              (before, answered) -> {
                if (!answered) {
                  left.add(question);
                }
                return null;
              });
    }
    return all.thenApply(done -> left);
  }

  private CompletionStage<Boolean> isAnswered(WarmUpCall question) {
    CompletionStage<TakeResult> alone = store.take(List.of(question.alone));
    CompletionStage<TakeResult> both = store.take(List.of(question.alone, question.bucket));
    return store
        .release(NO_RESERVATION, List.of(question.held))
        .thenApply(released -> released != SettlementResult.UNAVAILABLE)
        .thenCombine(alone, (so, taking) -> so && isAnswered(taking))
        .thenCombine(both, (so, taking) -> so && isAnswered(taking));
  }

  private static boolean isAnswered(TakeResult taking) {
    return taking.statuses().stream().allMatch(LimitStatus::answered);
  }
}
