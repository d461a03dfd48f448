package io.weir.testkit;

import io.weir.Algorithm;
import io.weir.Limit;
import io.weir.limit.Meter;
import io.weir.testkit.reference.ObservedAnswer;
import io.weir.testkit.reference.Reference;
import io.weir.testkit.trace.RandomLimits;
import io.weir.testkit.trace.RandomTraces;
import io.weir.testkit.trace.Trace;
import io.weir.testkit.trace.TraceComparison;
import io.weir.testkit.trace.TraceStep;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Provide;

/** Base of properties that hold for every algorithm. */
abstract class LimitPropertyBase {
  @Provide
  Arbitrary<Trace> wild() {
    return Arbitraries.of(Algorithm.values()).flatMap(RandomTraces::wild);
  }

  @Provide
  Arbitrary<Trace> calm() {
    return Arbitraries.of(Algorithm.values()).flatMap(RandomTraces::calm);
  }

  @Provide
  Arbitrary<Limit> limits() {
    return Arbitraries.of(Algorithm.values()).flatMap(RandomLimits::of);
  }

  /** A key after all events of a trace, opened at the end. */
  static MeterSubject after(Trace trace) {
    MeterSubject key = new MeterSubject(trace);
    TraceComparison.run(trace, key);
    key.open(last(trace));
    return key;
  }

  /** The numbers in force at the end of a trace. */
  static Limit last(Trace trace) {
    List<Limit> limits = limits(trace).toList();
    return limits.get(limits.size() - 1);
  }

  /** All numbers of a trace, in order. */
  static Stream<Limit> limits(Trace trace) {
    return Stream.concat(
        Stream.of(trace.limit()),
        trace.steps().stream()
            .filter(TraceStep.LimitChange.class::isInstance)
            .map(step -> ((TraceStep.LimitChange) step).limit()));
  }

  /** A key under this limit that was never used. */
  static MeterSubject unused(Limit limit, long at, long keyHash) {
    return new MeterSubject(new Trace(limit, false, at, keyHash, List.of()));
  }

  static ObservedAnswer unusedKeySees(Limit limit, long cost) {
    return unused(limit, 0, 0).look(limit, cost);
  }

  static long tick(Limit limit) {
    Reference reference = Reference.of(limit, 0);
    reference.open(limit, 0);
    return reference.tick();
  }

  static boolean never(ObservedAnswer seen) {
    return seen.retryAfter() == Meter.NEVER;
  }
}
