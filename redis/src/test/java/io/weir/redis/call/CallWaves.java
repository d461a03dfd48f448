package io.weir.redis.call;

import io.weir.Algorithm;
import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.LeaseGrant;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.testkit.trace.RandomLimits;
import io.weir.testkit.trace.RandomTraces;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Calls that arrive at the same moment, wave after wave, for the same few keys. */
record CallWaves(List<Pool> pools, List<Wave> waves) {
  private static final Set<Algorithm> CAN_LEND =
      Set.of(
          Algorithm.TOKEN_BUCKET,
          Algorithm.FIXED_WINDOW,
          Algorithm.SLIDING_WINDOW,
          Algorithm.QUOTA);

  /**
   * Calls that arrive together.
   *
   * @param after time since the previous wave, in µs
   */
  record Wave(long after, List<Visit> visits) {}

  /** A number of equal calls. */
  record Visit(int times, List<WaveDraw> parts) {
    /** The draws, one per pool, of a caller with this lease. */
    List<Draw> draws(List<Pool> pools, Function<Bucket, LeaseGrant> lent) {
      Set<Integer> met = new HashSet<>();
      return parts.stream()
          .filter(part -> met.add(part.pool() % pools.size()))
          .map(part -> part.on(pools, lent))
          .toList();
    }
  }

  /** The lease report of a caller. */
  enum LeaseUse {
    NOTHING,
    LEASE,
    DEBT
  }

  /** One draw of a call. */
  record WaveDraw(
      int pool, int user, ToLongFunction<Limit> cost, Mode mode, Intent intent, LeaseUse leaseUse) {

    private Draw on(List<Pool> pools, Function<Bucket, LeaseGrant> lent) {
      Pool drawn = pools.get(pool % pools.size());
      Limit limit = drawn.meter().limit();
      long amount = cost.applyAsLong(limit);
      if (leaseUse == LeaseUse.NOTHING || !CAN_LEND.contains(limit.algorithm())) {
        return new Draw(drawn, key(), amount, mode, intent);
      }
      Draw draw = new Draw(drawn, key(), amount / 4, Mode.ENFORCE, Intent.TAKE);
      if (leaseUse == LeaseUse.DEBT) {
        return draw.withLease(LeaseReport.NONE.withDebt(1 + amount / 3));
      }
      LeaseGrant held = lent.apply(new Bucket(drawn, key()));
      long most = Math.max(1, limit.capacity() / 2);
      return draw.withLease(
          new LeaseReport(most, held, held.tokens() / 2, held.tokens() / 4, 1 + amount / 2, 0));
    }

    private Key key() {
      return Key.of("user-" + user);
    }
  }

  /** One bucket. */
  record Bucket(Pool pool, Key key) {}

  static Arbitrary<CallWaves> any() {
    Arbitrary<Limit> limits =
        Arbitraries.frequencyOf(
                Tuple.of(2, Arbitraries.of(Algorithm.TOKEN_BUCKET, Algorithm.LEAKY_BUCKET)),
                Tuple.of(1, Arbitraries.of(Algorithm.values())))
            .flatMap(RandomLimits::of);
    Arbitrary<Long> waits = Arbitraries.of(0L, 1L, 1000L, 1_000_000L, 7_000_000L, 3_600_000_000L);
    Arbitrary<Wave> waves =
        Combinators.combine(waits, visit().list().ofMinSize(8).ofMaxSize(24)).as(Wave::new);
    return Combinators.combine(
            limits.list().ofMinSize(3).ofMaxSize(6),
            Arbitraries.of(true, false).list().ofSize(6),
            waves.list().ofMinSize(1).ofMaxSize(3))
        .as((kinds, counts, all) -> new CallWaves(pools(kinds, counts), all));
  }

  private static List<Pool> pools(List<Limit> limits, List<Boolean> countDenied) {
    List<Pool> pools = new ArrayList<>();
    for (int i = 0; i < limits.size(); i++) {
      pools.add(new Pool("rule-" + i, "rule-" + i, "1", limits.get(i), countDenied.get(i)));
    }
    return pools;
  }

  private static Arbitrary<Visit> visit() {
    return Combinators.combine(
            Arbitraries.frequency(Tuple.of(3, 1), Tuple.of(1, 2), Tuple.of(1, 7)),
            Arbitraries.frequencyOf(
                Tuple.of(2, part().list().ofSize(1)), Tuple.of(1, part().list().ofSize(3))))
        .as(Visit::new);
  }

  private static Arbitrary<WaveDraw> part() {
    return Combinators.combine(
            Arbitraries.integers().between(0, 5),
            Arbitraries.integers().between(0, 2),
            RandomTraces.costs(),
            Arbitraries.of(Mode.ENFORCE, Mode.ENFORCE, Mode.ENFORCE, Mode.SHADOW),
            Arbitraries.of(Intent.TAKE, Intent.TAKE, Intent.HOLD, Intent.TAKE_NOW, Intent.LOOK),
            Arbitraries.frequency(
                Tuple.of(8, LeaseUse.NOTHING),
                Tuple.of(2, LeaseUse.LEASE),
                Tuple.of(1, LeaseUse.DEBT)))
        .as(WaveDraw::new);
  }
}
