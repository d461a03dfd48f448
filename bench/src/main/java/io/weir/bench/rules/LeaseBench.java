package io.weir.bench.rules;

import io.weir.Call;
import io.weir.Decision;
import io.weir.DecisionSource;
import io.weir.Key;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.bench.run.Allowance;
import io.weir.bench.run.IterationCost;
import io.weir.limit.LeaseCap;
import io.weir.near.NearStore;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import io.weir.store.memory.MemoryStore;
import io.weir.testkit.ThreadedStore;
import io.weir.testkit.lease.LendingStore;
import io.weir.time.SystemTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** One decision on a hot key with a lease from a shared store of half a millisecond latency. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 1, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(
    value = 3,
    jvmArgs = {"-Xms2g", "-Xmx2g"})
@State(Scope.Benchmark)
public class LeaseBench {
  private static final Limit AMPLE =
      Limit.of(Allowance.ONE_KEY.rate(), Duration.ofSeconds(1)).burst(Allowance.ONE_KEY.burst());

  private NearStore near;
  private List<Draw> draws;
  private Weir weir;
  private Call call;

  @Setup
  public void load() {
    Pool pool =
        new Pool("orders", "orders", "1", AMPLE, false).withLeaseCap(LeaseCap.of(AMPLE, 10_000));
    near =
        NearStore.before(
            distant(), MemoryStore.create(), SystemTime.INSTANCE, () -> 1, LeaseBench::fail);
    draws = List.of(new Draw(pool, Key.of("user:1234"), 1, io.weir.Mode.ENFORCE, Draw.Intent.TAKE));
    Rule rule = Rule.named("orders").key("user").limit(AMPLE).build();
    weir = Weir.builder().rules(RuleSet.of(rule)).store(distant()).build();
    call = Call.of("GET", "/api/v1/orders42").with("user", "user:1234");
    for (int i = 0; weir.check(call).source() != DecisionSource.LEASE; i++) {
      if (i == 1000) {
        throw new IllegalStateException("nothing is lent");
      }
    }
  }

  /** A store that lends, with half a millisecond latency. */
  private static Store distant() {
    return ThreadedStore.distant(new LendingStore(SystemTime.INSTANCE::wallMicros));
  }

  private static void fail(Throwable error) {
    throw new AssertionError(error);
  }

  @TearDown
  public void close() {
    near.close();
    weir.close();
  }

  /** The work of the limiter by rules once the bucket is known. */
  @Benchmark
  public TakeResult take(IterationCost cost) {
    cost.calls++;
    return near.take(draws).toCompletableFuture().join();
  }

  /** The whole decision by one rule. */
  @Benchmark
  public Decision check(IterationCost cost) {
    cost.calls++;
    return weir.check(call);
  }
}
