package io.weir.testkit.contract;

import static io.weir.testkit.contract.ContractCalls.draw;
import static io.weir.testkit.contract.ContractCalls.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Contract of concurrent callers: exactly as much is admitted as if they had come one by one. */
interface ParallelContract extends ContractPart {
  int CALLERS = 4;

  @TestFactory
  default Stream<DynamicTest> exactlyTheCapacityIsAdmitted() {
    return each(
        List.of(
            "200/day",
            "leaky-bucket 200/day queue=199",
            "fixed-window 200/day aligned=true",
            "sliding-window 200/day",
            "sliding-log 200/day",
            "quota 200/month",
            "concurrency 200 permit_ttl=1h"),
        limit -> {
          Pool pool = pool(limit, limit);
          List<Integer> admitted =
              together(
                  caller -> {
                    int count = 0;
                    for (int i = 0; i < 100; i++) {
                      long id = caller * 1000L + i;
                      var draws = List.of(draw(pool, 1, Intent.HOLD));
                      count +=
                          ContractCalls.get(harness().store().reserve(id, draws)).taken() ? 1 : 0;
                    }
                    return count;
                  });
          assertThat(sum(admitted)).isEqualTo(200);
          assertThat(calls().remaining(pool)).isZero();
        });
  }

  @Test
  default void nothingIsLostWhereDrawsOverlap() {
    List<Pool> pools = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      pools.add(pool("rule-" + i, "60/day"));
    }
    List<int[]> taken =
        together(
            caller -> {
              Random random = new Random(caller);
              int[] mine = new int[pools.size()];
              for (int i = 0; i < 100; i++) {
                List<Integer> order = new ArrayList<>(List.of(0, 1, 2, 3, 4, 5));
                Collections.shuffle(order, random);
                List<Integer> some = order.subList(0, 3);
                List<Draw> draws = some.stream().map(p -> draw(pools.get(p), 1)).toList();
                if (ContractCalls.get(harness().store().take(draws)).taken()) {
                  some.forEach(p -> mine[p]++);
                }
              }
              return mine;
            });
    for (int i = 0; i < pools.size(); i++) {
      int pool = i;
      long sum = taken.stream().mapToInt(mine -> mine[pool]).sum();
      assertThat(calls().remaining(pools.get(i))).isEqualTo(60 - sum);
    }
  }

  @Test
  default void onlyOneOfManyConcurrentSettlesApplies() {
    Pool pool = pool("1000/day");
    List<Integer> settled =
        together(
            caller -> {
              int mine = 0;
              for (int i = 0; i < 50; i++) {
                // All callers reserve and settle under the same ids; one wins each.
                List<ReservedPart> parts = new ContractCalls(harness().store()).reserve(i, pool, 1);
                mine += new ContractCalls(harness().store()).settle(i, parts, 0) ? 1 : 0;
              }
              return mine;
            });
    assertThat(sum(settled)).isEqualTo(50);
    assertThat(calls().remaining(pool)).isEqualTo(1000 - 50L * CALLERS + 50);
  }

  @Test
  default void permitsAreNeverHeldByMoreThanTheLimit() {
    Pool pool = pool("concurrency 3 permit_ttl=1h");
    List<Integer> held =
        together(
            caller -> {
              int mine = 0;
              for (int i = 0; i < 100; i++) {
                long id = caller * 1000L + i;
                var draws = List.of(draw(pool, Key.of("shared"), 1));
                var hold =
                    List.of(new Draw(pool, Key.of("shared"), 1, draws.get(0).mode(), Intent.HOLD));
                var result = ContractCalls.get(harness().store().reserve(id, hold));
                if (result.taken()) {
                  assertThat(result.statuses().get(0).remaining()).isBetween(0L, 2L);
                  var part =
                      new ReservedPart(pool, Key.of("shared"), 1, 1, result.receipts().get(0));
                  assertThat(new ContractCalls(harness().store()).release(id, List.of(part)))
                      .isTrue();
                  mine++;
                }
              }
              return mine;
            });
    assertThat(sum(held)).isPositive();
    assertThat(calls().take(pool, Key.of("shared"), 3).remaining()).isEqualTo(3);
  }

  /** The work of one of several callers. */
  interface Caller<T> {
    T call(int caller) throws Exception;
  }

  private static <T> List<T> together(Caller<T> work) {
    ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
    try {
      List<Callable<T>> tasks = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        int caller = i;
        tasks.add(() -> work.call(caller));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> future : threads.invokeAll(tasks, 60, TimeUnit.SECONDS)) {
        results.add(future.get(1, TimeUnit.SECONDS));
      }
      return results;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError(e);
    } finally {
      threads.shutdownNow();
    }
  }

  private static long sum(List<Integer> numbers) {
    return numbers.stream().mapToInt(Integer::intValue).sum();
  }
}
