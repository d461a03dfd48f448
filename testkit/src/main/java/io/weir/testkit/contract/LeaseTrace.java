package io.weir.testkit.contract;

import io.weir.Algorithm;
import io.weir.Limit;
import io.weir.testkit.trace.RandomLimits;
import io.weir.testkit.trace.RandomTraces;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/**
 * A random history of one bucket that lends to three instances.
 *
 * @param most maximum number of tokens on lease at once
 */
public record LeaseTrace(Limit limit, long most, List<Event> events) {
  static final int INSTANCES = 3;

  /** One event. */
  public sealed interface Event {
    /**
     * An instance takes an amount, reports on its lease and requests another.
     *
     * @param used part of its lease handed out since the last report, in tenths
     * @param returned part of the rest that it returns, in tenths
     * @param answered whether the response arrives
     */
    record Ask(int instance, long amount, long asked, int used, int returned, boolean answered)
        implements Event {}

    /** An instance returns its whole lease. */
    record End(int instance) implements Event {}

    /** A take without a lease. */
    record Take(long amount) implements Event {}

    /** A debt is charged. */
    record Owe(long amount) implements Event {}

    /** The limit gets other numbers. */
    record Change(Limit limit) implements Event {}

    /** Time passes, or the clock is set back. */
    record Pass(long micros) implements Event {}
  }

  /** Any history. */
  public static Arbitrary<LeaseTrace> any() {
    return Arbitraries.of(
            Algorithm.TOKEN_BUCKET,
            Algorithm.TOKEN_BUCKET,
            Algorithm.LEAKY_BUCKET,
            Algorithm.FIXED_WINDOW,
            Algorithm.SLIDING_WINDOW,
            Algorithm.SLIDING_LOG,
            Algorithm.QUOTA)
        .flatMap(LeaseTrace::of);
  }

  private static Arbitrary<LeaseTrace> of(Algorithm algorithm) {
    return Combinators.combine(
            RandomLimits.of(algorithm),
            Arbitraries.longs().between(1, 1L << 39),
            Arbitraries.of(true, false),
            event(algorithm).list().ofMinSize(1).ofMaxSize(40))
        .as(
            (limit, wide, half, events) -> {
              long most = half ? Math.max(1, limit.capacity() / 2) : wide;
              return new LeaseTrace(
                  limit, most, events.stream().map(event -> event.apply(limit)).toList());
            });
  }

  private static Arbitrary<Function<Limit, Event>> event(Algorithm algorithm) {
    Arbitrary<ToLongFunction<Limit>> costs = RandomTraces.costs();
    Arbitrary<Integer> instances = Arbitraries.integers().between(0, INSTANCES - 1);
    Arbitrary<Integer> tenths = Arbitraries.integers().between(0, 10);
    Arbitrary<Function<Limit, Event>> asks =
        Combinators.combine(
                instances,
                costs,
                costs,
                tenths,
                tenths,
                Arbitraries.of(true, true, true, true, false))
            .as(
                (instance, amount, asked, used, returned, answered) ->
                    limit ->
                        new Event.Ask(
                            instance,
                            amount.applyAsLong(limit) / 4,
                            asked.applyAsLong(limit),
                            used,
                            returned,
                            answered));
    boolean onlyOwed = algorithm == Algorithm.SLIDING_LOG || algorithm == Algorithm.LEAKY_BUCKET;
    int lends = onlyOwed ? 0 : 1;
    return Arbitraries.frequencyOf(
        Tuple.of(10 * lends, asks),
        Tuple.of(2 * lends, instances.map(instance -> limit -> new Event.End(instance))),
        Tuple.of(
            4 - 2 * lends, costs.map(cost -> limit -> new Event.Take(cost.applyAsLong(limit)))),
        Tuple.of(4 - 2 * lends, costs.map(cost -> limit -> new Event.Owe(cost.applyAsLong(limit)))),
        Tuple.of(
            1,
            RandomTraces.near(algorithm).map(next -> limit -> new Event.Change(next.apply(limit)))),
        Tuple.of(
            3, RandomTraces.waits().map(wait -> limit -> new Event.Pass(wait.applyAsLong(limit)))),
        Tuple.of(
            1, RandomTraces.waits().map(wait -> limit -> new Event.Pass(-wait.applyAsLong(limit)))),
        Tuple.of(
            4,
            Arbitraries.longs()
                .between(0, 12_000_000)
                .map(micros -> limit -> new Event.Pass(micros))));
  }
}
