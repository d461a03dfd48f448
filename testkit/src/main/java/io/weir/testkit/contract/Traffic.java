package io.weir.testkit.contract;

import io.weir.Algorithm;
import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.Pool;
import io.weir.testkit.trace.RandomLimits;
import io.weir.testkit.trace.RandomTraces;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/**
 * A random history of several buckets under several rules, with calls that draw from some of them.
 *
 * @param pools the pools at the start
 */
public record Traffic(List<Pool> pools, List<Event> events) {

  static final Key KEY = Key.of("key");

  /** One event. */
  public sealed interface Event {
    /** A call; its draws are on different pools. */
    record Call(List<TrafficDraw> parts) implements Event {}

    /**
     * An admitted call had this actual cost in each of its buckets; {@code back} 0 is the last
     * call.
     */
    record Settle(int back, long owed) implements Event {}

    /** This much of what was taken last from a pool is refunded. */
    record Refund(int pool, long amount) implements Event {}

    /** An admitted call ends. */
    record Release(int back) implements Event {}

    /** An admitted call renews its permits. */
    record Renew(int back) implements Event {}

    /** A pool gets other numbers. */
    record Change(int pool, Limit limit) implements Event {}

    /** Time passes. */
    record Pass(long micros) implements Event {}
  }

  /** One draw of a call. */
  public record TrafficDraw(int pool, long amount, Mode mode, Intent intent) {
    Draw on(List<Pool> pools) {
      return new Draw(pools.get(pool), KEY, amount, mode, intent);
    }
  }

  /** Any traffic. */
  public static Arbitrary<Traffic> any() {
    Arbitrary<Limit> limits = Arbitraries.of(Algorithm.values()).flatMap(RandomLimits::of);
    return Combinators.combine(
            limits.list().ofMinSize(2).ofMaxSize(5),
            Arbitraries.of(true, false).list().ofSize(5),
            event().list().ofMinSize(1).ofMaxSize(30))
        .as(Traffic::of);
  }

  private static Traffic of(
      List<Limit> limits, List<Boolean> countDenied, List<Function<List<Pool>, Event>> events) {
    List<Pool> pools = new ArrayList<>();
    for (int i = 0; i < limits.size(); i++) {
      pools.add(new Pool("rule-" + i, "rule-" + i, "1", limits.get(i), countDenied.get(i)));
    }
    return new Traffic(pools, events.stream().map(event -> event.apply(pools)).toList());
  }

  private static Arbitrary<Function<List<Pool>, Event>> event() {
    Arbitrary<Integer> backs = Arbitraries.integers().between(0, 2);
    return Arbitraries.frequencyOf(
        Tuple.of(10, call()),
        Tuple.of(4, number(RandomTraces.waits(), Event.Pass::new)),
        Tuple.of(1, number(RandomTraces.waits(), micros -> new Event.Pass(-micros))),
        Tuple.of(
            2, backs.flatMap(back -> number(RandomTraces.costs(), c -> new Event.Settle(back, c)))),
        Tuple.of(1, refund()),
        Tuple.of(1, backs.map(back -> pools -> new Event.Release(back))),
        Tuple.of(1, backs.map(back -> pools -> new Event.Renew(back))),
        Tuple.of(1, change()));
  }

  /** An event with an amount in the range of one of the limits. */
  private static Arbitrary<Function<List<Pool>, Event>> number(
      Arbitrary<ToLongFunction<Limit>> numbers, Function<Long, Event> event) {
    return Combinators.combine(indexes(), numbers)
        .as((i, number) -> pools -> event.apply(number.applyAsLong(limit(pools, i))));
  }

  private static Arbitrary<Function<List<Pool>, Event>> refund() {
    return Combinators.combine(indexes(), RandomTraces.costs())
        .as(
            (i, amount) ->
                pools -> new Event.Refund(i % pools.size(), amount.applyAsLong(limit(pools, i))));
  }

  /** New numbers for a pool; one candidate for each algorithm, as the pool's is not known yet. */
  private static Arbitrary<Function<List<Pool>, Event>> change() {
    List<Arbitrary<Function<Limit, Limit>>> near =
        Stream.of(Algorithm.values()).map(RandomTraces::near).toList();
    return Combinators.combine(indexes(), Combinators.combine(near).as(List::copyOf))
        .as(
            (i, next) ->
                pools -> {
                  Limit limit = limit(pools, i);
                  Limit changed = next.get(limit.algorithm().ordinal()).apply(limit);
                  return new Event.Change(i % pools.size(), changed);
                });
  }

  private static Arbitrary<Function<List<Pool>, Event>> call() {
    return part()
        .list()
        .ofMinSize(1)
        .ofMaxSize(5)
        .map(
            parts ->
                pools -> {
                  Map<Integer, TrafficDraw> byPool = new LinkedHashMap<>();
                  for (Function<List<Pool>, TrafficDraw> part : parts) {
                    byPool.putIfAbsent(part.apply(pools).pool(), part.apply(pools));
                  }
                  return new Event.Call(List.copyOf(byPool.values()));
                });
  }

  private static Arbitrary<Function<List<Pool>, TrafficDraw>> part() {
    return Combinators.combine(
            indexes(),
            RandomTraces.costs(),
            Arbitraries.of(Mode.ENFORCE, Mode.ENFORCE, Mode.ENFORCE, Mode.SHADOW, Mode.MARK),
            Arbitraries.of(
                Intent.TAKE, Intent.TAKE, Intent.HOLD, Intent.HOLD, Intent.TAKE_NOW, Intent.LOOK))
        .as(
            (i, cost, mode, intent) ->
                pools ->
                    new TrafficDraw(
                        i % pools.size(), cost.applyAsLong(limit(pools, i)), mode, intent));
  }

  private static Arbitrary<Integer> indexes() {
    return Arbitraries.integers().between(0, 59);
  }

  private static Limit limit(List<Pool> pools, int i) {
    return pools.get(i % pools.size()).meter().limit();
  }
}
