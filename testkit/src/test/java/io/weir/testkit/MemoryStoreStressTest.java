package io.weir.testkit;

import static io.weir.testkit.contract.ContractCalls.KEY;
import static io.weir.testkit.contract.ContractCalls.draw;
import static io.weir.testkit.contract.ContractCalls.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.base.KeyEncoding;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.TakeResult;
import io.weir.store.memory.MemoryStore;
import io.weir.store.memory.PoolFastPath;
import io.weir.testkit.contract.ContractCalls;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Threads race on the memory store: nothing is lost, admitted twice or torn, and no thread waits
 * forever.
 */
class MemoryStoreStressTest {
  private static final List<String> LIMITS =
      List.of(
          "2000/day",
          "leaky-bucket 2000/day queue=1999",
          "fixed-window 2000/day",
          "sliding-window 2000/day",
          "sliding-log 2000/day",
          "quota 2000/month",
          "concurrency 2000 permit_ttl=1h");

  private final StressRun.Time time = new StressRun.Time();

  private MemoryStore store(long maxKeys) {
    return MemoryStore.builder().maxKeys(maxKeys).time(time).build();
  }

  @Test
  void oneKeyIsTakenFromExactly() throws Exception {
    StressRun.repeat(
        round -> {
          MemoryStore store = store(100);
          Pool pool = pool(LIMITS.get(round % LIMITS.size()));
          List<Long> taken =
              StressRun.race(
                  thread -> {
                    Random random = new Random(round * 31L + thread);
                    long sum = 0;
                    for (int i = 0; i < 400; i++) {
                      long cost = 1 + random.nextInt(3);
                      var draws = List.of(draw(pool, cost, Intent.HOLD));
                      TakeResult result =
                          ContractCalls.get(store.reserve(thread * 1000L + i, draws));
                      sum += result.taken() ? cost : 0;
                      assertSane(result);
                    }
                    return sum;
                  });
          assertThat(new ContractCalls(store).remaining(pool)).isEqualTo(2000 - sum(taken));
        });
  }

  @Test
  void fastPathAndFullPathTakeFromTheSameBucket() throws Exception {
    StressRun.repeat(
        round -> {
          MemoryStore store = store(100);
          Pool pool = pool(LIMITS.get(round % 4));
          PoolFastPath fastPath = store.fastPath(pool);
          Pool other = pool("other", "100000/day");
          List<Long> taken =
              StressRun.race(
                  thread -> {
                    long sum = 0;
                    long hash = KeyEncoding.hash("rule", KEY.parts());
                    for (int i = 0; i < 1000; i++) {
                      boolean admitted =
                          thread % 2 == 0
                              ? fastPath.tryTake(time.micros(), KEY.high(), KEY.low(), hash, 1)
                              : ContractCalls.get(
                                      store.take(List.of(draw(other, 1), draw(pool, 1))))
                                  .taken();
                      sum += admitted ? 1 : 0;
                    }
                    return sum;
                  });
          boolean queued = pool.meter().limit() instanceof io.weir.LeakyBucket;
          assertThat(new ContractCalls(store).remaining(pool)).isEqualTo(2000 - sum(taken));
          assertThat(sum(taken)).isBetween(queued ? 1L : 2000L, 2000L);
        });
  }

  @Test
  void overlappingCallsInAnyOrderTakeAllOrNone() throws Exception {
    StressRun.repeat(
        round -> {
          MemoryStore store = store(100_000);
          List<Draw> draws = new ArrayList<>();
          for (int i = 0; i < 12; i++) {
            String limit =
                LIMITS.get(i % LIMITS.size()).replace("2000", "150").replace("1999", "149");
            draws.add(draw(pool("rule-" + i, limit), 1, Intent.HOLD));
          }
          List<int[]> taken =
              StressRun.race(
                  thread -> {
                    Random random = new Random(round * 31L + thread);
                    int[] mine = new int[draws.size()];
                    List<Integer> order = new ArrayList<>();
                    for (int i = 0; i < draws.size(); i++) {
                      order.add(i);
                    }
                    for (int i = 0; i < 200; i++) {
                      Collections.shuffle(order, random);
                      List<Integer> some = order.subList(0, 1 + random.nextInt(6));
                      TakeResult result =
                          ContractCalls.get(
                              store.reserve(
                                  thread * 1000L + i, some.stream().map(draws::get).toList()));
                      assertSane(result);
                      if (result.taken()) {
                        some.forEach(at -> mine[at]++);
                      }
                    }
                    return mine;
                  });
          for (int i = 0; i < draws.size(); i++) {
            int at = i;
            long sum = taken.stream().mapToLong(mine -> mine[at]).sum();
            assertThat(new ContractCalls(store).remaining(draws.get(i).pool()))
                .isEqualTo(150 - sum);
          }
        });
  }

  @Test
  void decisionsAreExactWhileTheTableGrowsAndForgets() throws Exception {
    StressRun.repeat(
        round -> {
          MemoryStore store = store(20_000);
          Pool once = pool("once", "1/day");
          Pool fleeting = pool("fleeting", "1000/s");
          Pool hot = pool("hot", "2000/day");
          AtomicInteger running = new AtomicInteger(StressRun.THREADS - 1);
          List<Long> firsts =
              StressRun.race(
                  thread -> {
                    if (thread == 0) {
                      while (running.get() > 0) {
                        store.sweep();
                        time.push(1);
                      }
                      return 0L;
                    }
                    long first = 0;
                    try {
                      for (int i = 0; i < 700; i++) {
                        Key key = Key.of("key", Integer.toString(i));
                        store.take(List.of(draw(fleeting, Key.of(thread + "-" + i), 1)));
                        first += store.tryTake(draw(once, key, 1)) ? 1 : 0;
                        store.take(List.of(draw(hot, 1)));
                      }
                    } finally {
                      running.decrementAndGet();
                    }
                    return first;
                  });
          assertThat(sum(firsts)).as("each key once").isEqualTo(700);
          assertThat(new ContractCalls(store).remaining(hot)).isZero();
          assertThat(store.overflowed()).isZero();
        });
  }

  @Test
  void refundsAreAvailableAgain() throws Exception {
    StressRun.repeat(
        round -> {
          MemoryStore store = store(10_000);
          Pool bucket = pool("bucket", "50/day");
          Pool window = pool("window", "sliding-window 50/day");
          Pool permits = pool("permits", "concurrency 50");
          StressRun.race(
              thread -> {
                Random random = new Random(round * 31L + thread);
                ContractCalls calls = new ContractCalls(store);
                for (int i = 0; i < 200; i++) {
                  long id = round * 1_000_000L + thread * 1000L + i;
                  long cost = 1 + random.nextInt(12);
                  List<ReservedPart> parts =
                      calls.reserve(
                          id,
                          List.of(
                              draw(bucket, cost, Intent.HOLD),
                              draw(window, cost, Intent.HOLD),
                              draw(permits, cost, Intent.HOLD)));
                  assertThat(calls.settle(id, parts, 0)).isTrue();
                  assertThat(calls.release(id, parts)).isTrue();
                  assertThat(calls.release(id, parts)).isFalse();
                }
                return 0;
              });
          for (Pool pool : List.of(bucket, window, permits)) {
            assertThat(new ContractCalls(store).remaining(pool)).isEqualTo(50);
          }
        });
  }

  @Test
  void changingNumbersMeanwhileAdmitsNoMoreThanTheLargest() throws Exception {
    StressRun.repeat(
        round -> {
          MemoryStore store = store(100);
          List<Pool> versions =
              List.of(
                  pool("fixed-window 300/day"),
                  pool("fixed-window 400/h"),
                  pool("fixed-window 350/day aligned=true"));
          List<Long> taken =
              StressRun.race(
                  thread -> {
                    long sum = 0;
                    for (int i = 0; i < 300; i++) {
                      sum += store.tryTake(draw(versions.get((i + thread) % 3), 1)) ? 1 : 0;
                    }
                    return sum;
                  });
          assertThat(sum(taken)).isBetween(300L, 400L);
        });
  }

  private static void assertSane(TakeResult result) {
    for (LimitStatus status : result.statuses()) {
      assertThat(status.remaining()).isBetween(0L, status.limit().capacity());
      assertThat(status.mode()).isEqualTo(Mode.ENFORCE);
      assertThat(status.reset().isNegative()).isFalse();
      assertThat(result.taken())
          .isEqualTo(result.statuses().stream().allMatch(LimitStatus::allowed));
    }
  }

  private static long sum(List<Long> numbers) {
    return numbers.stream().mapToLong(Long::longValue).sum();
  }
}
