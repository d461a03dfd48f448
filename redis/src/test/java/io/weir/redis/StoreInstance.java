package io.weir.redis;

import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.redis.RedisOptions.Clock;
import io.weir.redis.fixture.RedisStores;
import io.weir.redis.fixture.SkewedTime;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.Pool;
import io.weir.store.TakeResult;
import io.weir.testkit.contract.ContractCalls;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * One of several instances that draw from the same keys, in this JVM or, by {@link #main}, in a
 * separate one.
 */
public final class StoreInstance implements AutoCloseable {
  /** A limit of each algorithm; none of them refills while a test runs. */
  public static final List<String> LIMITS =
      List.of(
          "1/h burst=500",
          "leaky-bucket 1/h queue=499",
          "fixed-window 500/3660day",
          "sliding-window 500/3660day",
          "sliding-log 500/3660day",
          "quota 500/month",
          "concurrency 500 permit_ttl=day");

  /** The capacity of every limit. */
  static final int CAPACITY = 500;

  /**
   * Calls of each instance to each limit; four instances together request more than the capacity.
   */
  static final int CALLS = 200;

  private static final int IN_FLIGHT = 20;

  private final int number;
  private final RedisStore store;

  StoreInstance(int number, String uri, Duration skew, Clock clock) {
    this.number = number;
    this.store =
        RedisStore.open(
            RedisOptions.of(uri).timeout(RedisStores.PATIENT).clock(clock), new SkewedTime(skew));
    store.ready().toCompletableFuture().join();
  }

  static Pool pool(String limit) {
    String rule = limit.replaceAll("[^a-z0-9]", "-");
    return new Pool(rule, rule, "1", Limit.parse(limit), false);
  }

  /** The number of admitted calls, limit by limit. */
  List<Integer> hammer() {
    List<Integer> admitted = new ArrayList<>();
    for (String limit : LIMITS) {
      admitted.add(hammer(pool(limit)));
    }
    return admitted;
  }

  private int hammer(Pool pool) {
    int admitted = 0;
    for (int i = 0; i < CALLS; i += IN_FLIGHT) {
      List<CompletionStage<TakeResult>> answers = new ArrayList<>();
      for (int j = 0; j < IN_FLIGHT; j++) {
        Draw draw = new Draw(pool, Key.of("everybody"), 1, Mode.ENFORCE, Intent.HOLD);
        answers.add(store.reserve(number * 1_000_000L + i + j, List.of(draw)));
      }
      for (CompletionStage<TakeResult> answer : answers) {
        TakeResult result = ContractCalls.get(answer);
        if (!result.statuses().get(0).answered()) {
          throw new IllegalStateException("no answer to instance " + number);
        }
        admitted += result.taken() ? 1 : 0;
      }
    }
    return admitted;
  }

  @Override
  public void close() {
    store.close();
  }

  /** Prints that it is ready, waits for a line, and prints the number of admitted calls. */
  public static void main(String[] args) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (StoreInstance instance =
        new StoreInstance(
            Integer.parseInt(args[0]), args[1], Duration.parse(args[2]), Clock.STORE)) {
      System.out.println("ready");
      if (in.readLine() != null) {
        instance.hammer().forEach(System.out::println);
      }
    }
  }
}
