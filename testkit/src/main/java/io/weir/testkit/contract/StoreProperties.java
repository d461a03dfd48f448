package io.weir.testkit.contract;

import io.weir.Algorithm;
import io.weir.testkit.trace.RandomTraces;
import io.weir.testkit.trace.Trace;
import io.weir.testkit.trace.TraceComparison;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * A store on virtual time decides as the reference does, to the microsecond: for random histories
 * of one key, and for calls that draw from several buckets.
 */
public abstract class StoreProperties {
  /** An empty store, on virtual time. */
  protected abstract StoreHarness create();

  @Property(edgeCases = EdgeCasesMode.NONE)
  void decidesAboutOneKeyAsTheReferenceDoes(@ForAll("traces") Trace trace) {
    try (StoreHarness harness = create()) {
      TraceComparison.run(trace, new StoreSubject(harness, trace.countDenied()));
    }
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void decidesAboutManyDrawsAsTheReferenceDoes(@ForAll("traffic") Traffic traffic) {
    try (StoreHarness harness = create()) {
      TrafficRun.run(traffic, harness);
    }
  }

  @Provide
  Arbitrary<Trace> traces() {
    return Arbitraries.of(Algorithm.values()).flatMap(RandomTraces::wild);
  }

  @Provide
  Arbitrary<Traffic> traffic() {
    return Traffic.any();
  }
}
