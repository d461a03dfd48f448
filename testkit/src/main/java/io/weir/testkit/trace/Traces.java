package io.weir.testkit.trace;

import io.weir.Algorithm;
import io.weir.Limit;
import io.weir.limit.Bounds;
import io.weir.limit.Meter;
import java.time.Duration;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Random traces, with costs and times near the edges of the limit they are about. */
public final class Traces {
  private static final int STEPS = 40;

  private Traces() {}

  /** Everything that can happen to a key: changed numbers, settling, clocks that step. */
  public static Arbitrary<Trace> wild(Algorithm algorithm) {
    return traces(algorithm, limit -> anyStep(algorithm, limit));
  }

  /** Calls and the passing of time, nothing else. */
  public static Arbitrary<Trace> calm(Algorithm algorithm) {
    return traces(algorithm, Traces::calmStep)
        .map(t -> new Trace(t.limit(), false, t.start(), t.keyHash(), t.steps()));
  }

  private interface Steps {
    Arbitrary<Step> under(Limit limit);
  }

  private static Arbitrary<Trace> traces(Algorithm algorithm, Steps steps) {
    return Limits.of(algorithm)
        .flatMap(
            limit ->
                Combinators.combine(
                        Arbitraries.of(true, false),
                        starts(),
                        Arbitraries.longs(),
                        steps.under(limit).list().ofMinSize(1).ofMaxSize(STEPS))
                    .as(
                        (counts, start, hash, list) ->
                            new Trace(limit, counts, start, hash, list)));
  }

  /** Now, about; and what a monotonic clock, whose zero means nothing, might say. */
  private static Arbitrary<Long> starts() {
    return Arbitraries.oneOf(
        Arbitraries.longs().between(1_700_000_000_000_000L, 1_800_000_000_000_000L),
        Arbitraries.of(0L, 1L, -1L, -86_400_000_000L, -3_141_592_653L));
  }

  private static Arbitrary<Step> calmStep(Limit limit) {
    return Arbitraries.frequencyOf(
        Tuple.of(6, costs(limit).map(Step.Take::new)),
        Tuple.of(3, waits(limit).map(Step.Pass::new)),
        Tuple.of(1, Arbitraries.longs().between(-1, 1).map(Step.Await::new)));
  }

  private static Arbitrary<Step> anyStep(Algorithm algorithm, Limit limit) {
    Arbitrary<Integer> backs = Arbitraries.integers().between(0, 3);
    Arbitrary<Long> owed =
        Arbitraries.frequencyOf(
            Tuple.of(4, costs(limit)),
            Tuple.of(4, Arbitraries.longs().between(0, 3 * limit.capacity() + 3)),
            Tuple.of(1, Arbitraries.longs().between(0, Bounds.EXACT - 1)));
    return Arbitraries.frequencyOf(
        Tuple.of(12, calmStep(limit)),
        Tuple.of(1, costs(limit).map(Step.Look::new)),
        Tuple.of(2, Combinators.combine(backs, owed).as(Step.Settle::new)),
        Tuple.of(1, backs.map(Step.Release::new)),
        Tuple.of(1, backs.map(Step.Renew::new)),
        Tuple.of(1, Limits.of(algorithm).map(Step.Change::new)),
        Tuple.of(1, Limits.near(limit).map(Step.Change::new)),
        Tuple.of(1, waits(limit).map(micros -> new Step.Pass(-micros))));
  }

  /** Costs: mostly what fits, sometimes exactly all of it or more than can ever fit. */
  public static Arbitrary<Long> costs(Limit limit) {
    long capacity = Math.max(1, limit.capacity());
    return Arbitraries.frequencyOf(
        Tuple.of(6, Arbitraries.just(1L)),
        Tuple.of(6, Arbitraries.longs().between(1, capacity)),
        Tuple.of(6, Arbitraries.longs().between(1, capacity / 10 + 1)),
        Tuple.of(2, Arbitraries.just(capacity)),
        Tuple.of(1, Arbitraries.just(capacity + 1)),
        Tuple.of(1, Arbitraries.just(0L)));
  }

  /** Times: around nothing, a tick, one cost's worth, the whole window, and two of them. */
  public static Arbitrary<Long> waits(Limit limit) {
    long window = Math.max(1, Bounds.micros(window(limit)));
    long each = window / Math.max(1, limit.capacity()) + 1;
    return Arbitraries.frequencyOf(
        Tuple.of(2, Arbitraries.of(0L, 1L, 9L, 10L, 11L, 999L, 1000L, 1001L)),
        Tuple.of(4, Arbitraries.longs().between(0, 4 * each)),
        Tuple.of(4, Arbitraries.longs().between(0, window)),
        Tuple.of(1, Arbitraries.longs().between(0, 3 * window)),
        Tuple.of(1, Arbitraries.of(window - 1, window, window + 1)));
  }

  private static Duration window(Limit limit) {
    if (limit instanceof io.weir.Concurrency concurrency) {
      return concurrency.permitTtl();
    }
    return Meter.of(limit).capacity() == 0 ? Duration.ofSeconds(1) : limit.window();
  }
}
