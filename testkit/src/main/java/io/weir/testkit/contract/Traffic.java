package io.weir.testkit.contract;

import io.weir.Algorithm;
import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.Pool;
import io.weir.testkit.trace.Limits;
import io.weir.testkit.trace.Traces;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/**
 * A random history of several buckets under several rules, with calls that draw from some of them.
 *
 * @param pools the pools as they are at the start
 */
public record Traffic(List<Pool> pools, List<Event> events) {

  static final Key KEY = Key.of("key");

  /** One thing that happens. */
  public sealed interface Event {
    /** A call; its draws are on different pools. */
    record Call(List<Part> parts) implements Event {}

    /**
     * A call that passed turns out to have cost this much in each of its buckets; 0 is the last.
     */
    record Settle(int back, long owed) implements Event {}

    /** A call that passed ends. */
    record Release(int back) implements Event {}

    /** A call that passed goes on. */
    record Renew(int back) implements Event {}

    /** A pool gets other numbers. */
    record Change(int pool, Limit limit) implements Event {}

    /** Time passes. */
    record Pass(long micros) implements Event {}
  }

  /** One draw of a call. */
  public record Part(int pool, long amount, Mode mode, Intent intent) {
    Draw on(List<Pool> pools) {
      return new Draw(pools.get(pool), KEY, amount, mode, intent);
    }
  }

  /** Any traffic. */
  public static Arbitrary<Traffic> any() {
    Arbitrary<Limit> limits = Arbitraries.of(Algorithm.values()).flatMap(Limits::of);
    return Combinators.combine(
            limits.list().ofMinSize(2).ofMaxSize(5), Arbitraries.of(true, false).list().ofSize(5))
        .as(Traffic::pools)
        .flatMap(
            pools ->
                event(pools)
                    .list()
                    .ofMinSize(1)
                    .ofMaxSize(30)
                    .map(events -> new Traffic(pools, events)));
  }

  private static List<Pool> pools(List<Limit> limits, List<Boolean> countDenied) {
    List<Pool> pools = new ArrayList<>();
    for (int i = 0; i < limits.size(); i++) {
      pools.add(new Pool("rule-" + i, "rule-" + i, "1", limits.get(i), countDenied.get(i)));
    }
    return pools;
  }

  private static Arbitrary<Event> event(List<Pool> pools) {
    Arbitrary<Integer> backs = Arbitraries.integers().between(0, 2);
    Arbitrary<Limit> limits = Arbitraries.of(pools).map(pool -> pool.meter().limit());
    Arbitrary<Long> waits = limits.flatMap(Traces::waits);
    return Arbitraries.frequencyOf(
        Tuple.of(10, call(pools)),
        Tuple.of(4, waits.map(Event.Pass::new)),
        Tuple.of(1, waits.map(micros -> new Event.Pass(-micros))),
        Tuple.of(
            2, Combinators.combine(backs, limits.flatMap(Traces::costs)).as(Event.Settle::new)),
        Tuple.of(1, backs.map(Event.Release::new)),
        Tuple.of(1, backs.map(Event.Renew::new)),
        Tuple.of(1, change(pools)));
  }

  private static Arbitrary<Event> change(List<Pool> pools) {
    return Arbitraries.integers()
        .between(0, pools.size() - 1)
        .flatMap(
            i ->
                Limits.near(pools.get(i).meter().limit()).map(limit -> new Event.Change(i, limit)));
  }

  private static Arbitrary<Event> call(List<Pool> pools) {
    return Arbitraries.integers()
        .between(0, pools.size() - 1)
        .set()
        .ofMinSize(1)
        .ofMaxSize(pools.size())
        .flatMap(
            indexes ->
                Combinators.combine(indexes.stream().map(i -> part(pools, i)).toList())
                    .as(Event.Call::new));
  }

  private static Arbitrary<Part> part(List<Pool> pools, int index) {
    return Combinators.combine(
            Traces.costs(pools.get(index).meter().limit()),
            Arbitraries.of(Mode.ENFORCE, Mode.ENFORCE, Mode.ENFORCE, Mode.SHADOW),
            Arbitraries.of(
                Intent.TAKE, Intent.TAKE, Intent.HOLD, Intent.HOLD, Intent.TAKE_NOW, Intent.LOOK))
        .as((amount, mode, intent) -> new Part(index, amount, mode, intent));
  }
}
