package io.weir.testkit.trace;

import io.weir.Algorithm;
import io.weir.Concurrency;
import io.weir.Limit;
import io.weir.base.ExactNumbers;
import io.weir.base.Micros;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;

/**
 * Random traces, with costs and times near the edges of their limit.
 *
 * <p>Values that depend on the limit are generated as a function of it and applied in the end: this
 * is much faster than new arbitraries for every limit, and shrinks better.
 */
public final class RandomTraces {
  private static final int STEPS = 40;
  private static final long RANGE = 1L << 62;

  private RandomTraces() {}

  /** All events of a key: changed numbers, settlements, clocks that step. */
  public static Arbitrary<Trace> wild(Algorithm algorithm) {
    return traces(algorithm, anyStep(algorithm));
  }

  /** Only calls and the passing of time. */
  public static Arbitrary<Trace> calm(Algorithm algorithm) {
    return traces(algorithm, calmStep())
        .map(t -> new Trace(t.limit(), false, t.start(), t.keyHash(), t.steps()));
  }

  private static Arbitrary<Trace> traces(
      Algorithm algorithm, Arbitrary<Function<Limit, TraceStep>> steps) {
    return Combinators.combine(
            RandomLimits.of(algorithm),
            Arbitraries.of(true, false),
            starts(),
            Arbitraries.longs(),
            steps.list().ofMinSize(1).ofMaxSize(STEPS))
        .as(
            (limit, counts, start, hash, list) ->
                new Trace(
                    limit, counts, start, hash, list.stream().map(s -> s.apply(limit)).toList()));
  }

  /** Times near the present, and values of a monotonic clock, whose zero is arbitrary. */
  private static Arbitrary<Long> starts() {
    return Arbitraries.oneOf(
        Arbitraries.longs().between(1_700_000_000_000_000L, 1_800_000_000_000_000L),
        Arbitraries.of(0L, 1L, -1L, -86_400_000_000L, -3_141_592_653L));
  }

  private static Arbitrary<Function<Limit, TraceStep>> calmStep() {
    return Arbitraries.frequencyOf(
        Tuple.of(6, step(costs(), TraceStep.Take::new)),
        Tuple.of(3, step(waits(), TraceStep.Pass::new)),
        Tuple.of(
            1, Arbitraries.longs().between(-1, 1).map(by -> limit -> new TraceStep.Await(by))));
  }

  private static Arbitrary<Function<Limit, TraceStep>> anyStep(Algorithm algorithm) {
    Arbitrary<Integer> backs = Arbitraries.integers().between(0, 3);
    return Arbitraries.frequencyOf(
        Tuple.of(12, calmStep()),
        Tuple.of(1, step(costs(), TraceStep.Look::new)),
        Tuple.of(2, backs.flatMap(back -> step(owed(), cost -> new TraceStep.Settle(back, cost)))),
        Tuple.of(1, step(owed(), TraceStep.Refund::new)),
        Tuple.of(1, backs.map(back -> limit -> new TraceStep.Release(back))),
        Tuple.of(1, backs.map(back -> limit -> new TraceStep.Renew(back))),
        Tuple.of(
            1, RandomLimits.of(algorithm).map(next -> limit -> new TraceStep.LimitChange(next))),
        Tuple.of(
            1, near(algorithm).map(next -> limit -> new TraceStep.LimitChange(next.apply(limit)))),
        Tuple.of(1, step(waits(), micros -> new TraceStep.Pass(-micros))));
  }

  private static Arbitrary<Function<Limit, TraceStep>> step(
      Arbitrary<ToLongFunction<Limit>> numbers, Function<Long, TraceStep> step) {
    return numbers.map(number -> limit -> step.apply(number.applyAsLong(limit)));
  }

  /** Limits that differ from the given one, which has this algorithm too, in one number. */
  public static Arbitrary<Function<Limit, Limit>> near(Algorithm algorithm) {
    return Combinators.combine(RandomLimits.of(algorithm), Arbitraries.integers().between(0, 2))
        .as((other, which) -> limit -> RandomLimits.near(limit, other, which));
  }

  /** Costs: mostly ones that fit, sometimes exactly the rest or more than can ever fit. */
  public static Arbitrary<ToLongFunction<Limit>> costs() {
    return Arbitraries.frequencyOf(
        Tuple.of(6, exactly(limit -> 1)),
        Tuple.of(6, between(1, RandomTraces::capacity)),
        Tuple.of(6, between(1, limit -> capacity(limit) / 10 + 1)),
        Tuple.of(2, exactly(RandomTraces::capacity)),
        Tuple.of(1, exactly(limit -> capacity(limit) + 1)),
        Tuple.of(1, exactly(limit -> 0)));
  }

  /** Actual costs: possible takes, multiples of them, and occasionally an absurd amount. */
  private static Arbitrary<ToLongFunction<Limit>> owed() {
    return Arbitraries.frequencyOf(
        Tuple.of(4, costs()),
        Tuple.of(4, between(0, limit -> 3 * limit.capacity() + 3)),
        Tuple.of(1, between(0, limit -> ExactNumbers.EXACT - 1)));
  }

  /** Times: around zero, a tick, the time for one cost, the whole window, and two windows. */
  public static Arbitrary<ToLongFunction<Limit>> waits() {
    return Arbitraries.frequencyOf(
        Tuple.of(2, Arbitraries.of(0L, 1L, 9L, 10L, 11L, 999L, 1000L, 1001L).map(us -> l -> us)),
        Tuple.of(4, between(0, limit -> 4 * (window(limit) / capacity(limit) + 1))),
        Tuple.of(4, between(0, RandomTraces::window)),
        Tuple.of(1, between(0, limit -> 3 * window(limit))),
        Tuple.of(1, Arbitraries.longs().between(-1, 1).map(by -> limit -> window(limit) + by)));
  }

  private static Arbitrary<ToLongFunction<Limit>> exactly(ToLongFunction<Limit> number) {
    return Arbitraries.just(number);
  }

  private static Arbitrary<ToLongFunction<Limit>> between(long least, ToLongFunction<Limit> most) {
    return Arbitraries.longs()
        .between(0, RANGE)
        .withDistribution(RandomDistribution.uniform())
        .map(raw -> limit -> least + raw % (most.applyAsLong(limit) - least + 1));
  }

  private static long capacity(Limit limit) {
    return Math.max(1, limit.capacity());
  }

  /** In µs; a limit of 0 has no window and gets a second. */
  private static long window(Limit limit) {
    if (limit instanceof Concurrency concurrency) {
      return Micros.of(concurrency.permitTtl());
    }
    Duration window = limit.capacity() == 0 ? Duration.ofSeconds(1) : limit.window();
    return Math.max(1, Micros.of(window));
  }
}
