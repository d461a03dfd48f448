package io.weir.testkit;

import io.weir.Algorithm;
import io.weir.Limit;
import io.weir.store.memory.MemoryStore;
import io.weir.store.memory.PoolFastPath;
import io.weir.testkit.contract.StoreHarness;
import io.weir.testkit.contract.StoreSubject;
import io.weir.testkit.reference.ObservedAnswer;
import io.weir.testkit.trace.RandomTraces;
import io.weir.testkit.trace.Trace;
import io.weir.testkit.trace.TraceComparison;
import io.weir.testkit.trace.TraceStep;
import io.weir.testkit.trace.TraceSubject;
import io.weir.time.VirtualTime;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The memory store's fast path, which returns only yes or no, decides as the reference does. */
class PoolFastPathProperties {
  @Property(edgeCases = EdgeCasesMode.NONE)
  void decidesAsTheReferenceDoes(@ForAll("traces") Trace trace) {
    VirtualTime time = new VirtualTime();
    MemoryStore store = MemoryStore.builder().maxKeys(100).time(time).build();
    TraceComparison.run(trace, new GateSubject(time, store, StoreHarness.on(time, store)));
  }

  /** Without operations that the fast path lacks: settle, counted refusals, waiting, permits. */
  @Provide
  Arbitrary<Trace> traces() {
    return Arbitraries.of(
            Algorithm.TOKEN_BUCKET,
            Algorithm.FIXED_WINDOW,
            Algorithm.SLIDING_WINDOW,
            Algorithm.SLIDING_LOG,
            Algorithm.QUOTA)
        .flatMap(RandomTraces::wild)
        .map(t -> new Trace(t.limit(), false, t.start(), t.keyHash(), fit(t.steps())));
  }

  private static List<TraceStep> fit(List<TraceStep> steps) {
    return steps.stream()
        .filter(
            step ->
                !(step instanceof TraceStep.Settle
                    || step instanceof TraceStep.Release
                    || step instanceof TraceStep.Renew))
        .toList();
  }

  private record GateSubject(VirtualTime time, MemoryStore store, StoreSubject rest)
      implements TraceSubject {
    GateSubject(VirtualTime time, MemoryStore store, StoreHarness harness) {
      this(time, store, new StoreSubject(harness, false));
    }

    /** Yes or no comes from the fast path, the numbers from a look afterwards. */
    @Override
    public ObservedAnswer take(Limit limit, long cost, long id) {
      if (cost == 0) {
        return rest.look(limit, 0);
      }
      PoolFastPath fastPath = store.fastPath(rest.pool(limit));
      boolean admitted =
          fastPath.tryTake(
              time.micros(), StoreSubject.KEY.high(), StoreSubject.KEY.low(), rest.keyHash(), cost);
      ObservedAnswer after = rest.look(limit, cost);
      return new ObservedAnswer(
          admitted, after.remaining(), after.reset(), admitted ? 0 : after.retryAfter(), 0);
    }

    @Override
    public long keyHash() {
      return rest.keyHash();
    }

    @Override
    public long now(Limit limit) {
      return rest.now(limit);
    }

    @Override
    public void move(long micros) {
      rest.move(micros);
    }

    @Override
    public ObservedAnswer look(Limit limit, long cost) {
      return rest.look(limit, cost);
    }

    @Override
    public void settle(Limit limit, long id, long owed) {
      throw new UnsupportedOperationException("traces for the fast path settle nothing");
    }

    @Override
    public void refund(Limit limit, long amount) {
      rest.refund(limit, amount);
    }

    @Override
    public boolean touch(Limit limit) {
      return rest.touch(limit);
    }

    @Override
    public boolean glance(Limit limit) {
      return rest.glance(limit);
    }

    @Override
    public boolean release(Limit limit, long id) {
      return false;
    }

    @Override
    public boolean renew(Limit limit, long id) {
      return false;
    }
  }
}
