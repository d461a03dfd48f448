package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Concurrency;
import io.weir.Limit;
import io.weir.base.Micros;
import io.weir.testkit.reference.ObservedAnswer;
import io.weir.testkit.trace.Trace;
import io.weir.testkit.trace.TraceStep;
import java.util.List;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

/** A clock step neither refunds nor blocks, and grants one burst at most. */
class ClockProperties extends LimitPropertyBase {
  @Property(edgeCases = EdgeCasesMode.NONE)
  void aStepBackGivesNothing(
      @ForAll("wild") Trace trace, @ForAll @LongRange(max = 200_000_000_000L) long step) {
    MeterSubject key = after(trace);
    Limit limit = last(trace);
    long before = key.take(limit, 1, 1_000).remaining();
    key.move(-step);
    assertThat(key.look(limit, 0).remaining()).isLessThanOrEqualTo(before);
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void aStepBackFreezesNothing(
      @ForAll("wild") Trace trace, @ForAll @LongRange(max = 200_000_000_000L) long step) {
    MeterSubject key = after(trace);
    Limit limit = last(trace);
    ObservedAnswer before = key.take(limit, 1, 1_000);
    key.move(-step);
    long reset = key.take(limit, limit.capacity() + 1, 1_001).reset();
    long refusals = trace.countDenied() ? denials(limit) : 0;
    assertThat(reset)
        .isLessThanOrEqualTo(Math.max(before.reset() + refusals + tick(limit), longest(trace)));
    key.move(reset);
    assertThat(key.look(limit, limit.capacity()).allowed()).isEqualTo(limit.capacity() > 0);
  }

  /** With a tick of 1 ms, a step of 1 µs can cross a whole tick. */
  @Example
  void aStepBackOfLessThanATickFreezesNothing() {
    TraceStep change = new TraceStep.LimitChange(Limit.parse("7/h burst=2501999"));
    aStepBackFreezesNothing(
        new Trace(Limit.parse("1/100ms"), false, 1_700_000_000_000_000L, 0, List.of(change)), 1);
  }

  /** Time in which a bucket drains the maximum that refusals can add. */
  private static long denials(Limit limit) {
    return 2 * Micros.of(limit.window()) + 2 * tick(limit);
  }

  /** How long usage can count under any of the limits of a trace. */
  private static long longest(Trace trace) {
    return limits(trace).mapToLong(ClockProperties::longest).max().orElseThrow();
  }

  /** How long usage at this moment can count. */
  private static long longest(Limit limit) {
    return switch (limit.algorithm()) {
      case TOKEN_BUCKET, LEAKY_BUCKET -> 0;
      case SLIDING_WINDOW -> 2 * Micros.of(limit.window());
      case CONCURRENCY -> Micros.of(((Concurrency) limit).permitTtl());
      case QUOTA -> Micros.of(limit.window()) + Micros.of(java.time.Duration.ofHours(1));
      case FIXED_WINDOW, SLIDING_LOG -> Micros.of(limit.window());
    };
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void aJumpForwardGrantsAtMostOneBurst(
      @ForAll("wild") Trace trace, @ForAll @LongRange(max = 10_000_000_000_000L) long jump) {
    MeterSubject key = after(trace);
    Limit limit = last(trace);
    key.move(jump);
    long taken = 0;
    for (int i = 0; i < 5; i++) {
      long some = key.look(limit, 0).remaining();
      if (some > 0 && key.take(limit, some, 1_000 + i).allowed()) {
        taken += some;
      }
    }
    assertThat(taken).isLessThanOrEqualTo(limit.capacity());
  }
}
