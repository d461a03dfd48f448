package io.weir.testkit;

import io.weir.Algorithm;
import io.weir.testkit.trace.Differential;
import io.weir.testkit.trace.Trace;
import io.weir.testkit.trace.Traces;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Every meter decides as the reference does, whatever happens to a key. */
class MeterReferenceProperties {
  @Property(edgeCases = EdgeCasesMode.NONE)
  void tokenBucket(@ForAll("tokenBuckets") Trace trace) {
    Differential.run(trace, new MeterSubject(trace));
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void leakyBucket(@ForAll("leakyBuckets") Trace trace) {
    Differential.run(trace, new MeterSubject(trace));
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void fixedWindow(@ForAll("fixedWindows") Trace trace) {
    Differential.run(trace, new MeterSubject(trace));
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void slidingWindow(@ForAll("slidingWindows") Trace trace) {
    Differential.run(trace, new MeterSubject(trace));
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void slidingLog(@ForAll("slidingLogs") Trace trace) {
    Differential.run(trace, new MeterSubject(trace));
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void quota(@ForAll("quotas") Trace trace) {
    Differential.run(trace, new MeterSubject(trace));
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void concurrency(@ForAll("concurrencies") Trace trace) {
    Differential.run(trace, new MeterSubject(trace));
  }

  @Provide
  Arbitrary<Trace> tokenBuckets() {
    return Traces.wild(Algorithm.TOKEN_BUCKET);
  }

  @Provide
  Arbitrary<Trace> leakyBuckets() {
    return Traces.wild(Algorithm.LEAKY_BUCKET);
  }

  @Provide
  Arbitrary<Trace> fixedWindows() {
    return Traces.wild(Algorithm.FIXED_WINDOW);
  }

  @Provide
  Arbitrary<Trace> slidingWindows() {
    return Traces.wild(Algorithm.SLIDING_WINDOW);
  }

  @Provide
  Arbitrary<Trace> slidingLogs() {
    return Traces.wild(Algorithm.SLIDING_LOG);
  }

  @Provide
  Arbitrary<Trace> quotas() {
    return Traces.wild(Algorithm.QUOTA);
  }

  @Provide
  Arbitrary<Trace> concurrencies() {
    return Traces.wild(Algorithm.CONCURRENCY);
  }
}
