package io.weir.testkit;

import io.weir.Algorithm;
import io.weir.testkit.trace.RandomTraces;
import io.weir.testkit.trace.Trace;
import io.weir.testkit.trace.TraceComparison;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Every meter decides as the reference does, for any history of a key. */
class MeterReferenceProperties {
  @Property(edgeCases = EdgeCasesMode.NONE)
  void tokenBucket(@ForAll("tokenBuckets") Trace trace) {
    TraceComparison.run(trace, new MeterSubject(trace));
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void leakyBucket(@ForAll("leakyBuckets") Trace trace) {
    TraceComparison.run(trace, new MeterSubject(trace));
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void fixedWindow(@ForAll("fixedWindows") Trace trace) {
    TraceComparison.run(trace, new MeterSubject(trace));
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void slidingWindow(@ForAll("slidingWindows") Trace trace) {
    TraceComparison.run(trace, new MeterSubject(trace));
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void slidingLog(@ForAll("slidingLogs") Trace trace) {
    TraceComparison.run(trace, new MeterSubject(trace));
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void quota(@ForAll("quotas") Trace trace) {
    TraceComparison.run(trace, new MeterSubject(trace));
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void concurrency(@ForAll("concurrencies") Trace trace) {
    TraceComparison.run(trace, new MeterSubject(trace));
  }

  @Provide
  Arbitrary<Trace> tokenBuckets() {
    return RandomTraces.wild(Algorithm.TOKEN_BUCKET);
  }

  @Provide
  Arbitrary<Trace> leakyBuckets() {
    return RandomTraces.wild(Algorithm.LEAKY_BUCKET);
  }

  @Provide
  Arbitrary<Trace> fixedWindows() {
    return RandomTraces.wild(Algorithm.FIXED_WINDOW);
  }

  @Provide
  Arbitrary<Trace> slidingWindows() {
    return RandomTraces.wild(Algorithm.SLIDING_WINDOW);
  }

  @Provide
  Arbitrary<Trace> slidingLogs() {
    return RandomTraces.wild(Algorithm.SLIDING_LOG);
  }

  @Provide
  Arbitrary<Trace> quotas() {
    return RandomTraces.wild(Algorithm.QUOTA);
  }

  @Provide
  Arbitrary<Trace> concurrencies() {
    return RandomTraces.wild(Algorithm.CONCURRENCY);
  }
}
