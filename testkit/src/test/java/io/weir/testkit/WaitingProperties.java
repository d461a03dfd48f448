package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Algorithm;
import io.weir.Limit;
import io.weir.testkit.reference.ObservedAnswer;
import io.weir.testkit.trace.Trace;
import java.util.List;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** A single client can rely on reported times, for any earlier history. */
class WaitingProperties extends LimitPropertyBase {
  @Property(edgeCases = EdgeCasesMode.NONE)
  void retryAfterIsEnoughAndNotATickTooLong(
      @ForAll("wild") Trace trace, @ForAll @IntRange(max = 100) int percent) {
    MeterSubject key = after(trace);
    Limit limit = last(trace);
    long cost = 1 + limit.capacity() * percent / 100;
    ObservedAnswer seen = key.look(limit, cost);
    if (seen.allowed() || never(seen)) {
      assertThat(never(seen)).isEqualTo(!seen.allowed());
      return;
    }
    key.move(seen.retryAfter() - tick(limit));
    assertThat(key.look(limit, cost).allowed()).as("a tick early").isFalse();
    key.move(tick(limit));
    assertThat(key.look(limit, cost).allowed()).as("in time").isTrue();
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void neverMeansThatWaitingDoesNotHelp(@ForAll("wild") Trace trace) {
    MeterSubject key = after(trace);
    Limit limit = last(trace);
    long tooMuch = limit.capacity() + 1;
    assertThat(never(key.look(limit, tooMuch))).isTrue();
    key.move(key.look(limit, tooMuch).reset());
    assertThat(key.look(limit, tooMuch).allowed()).isFalse();
    assertThat(never(key.look(limit, tooMuch))).isTrue();
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void afterResetTheKeyIsAsIfNeverUsed(@ForAll("wild") Trace trace) {
    MeterSubject key = after(trace);
    Limit limit = last(trace);
    long reset = key.look(limit, 1).reset();
    if (reset > 0) {
      key.move(reset - tick(limit));
      assertThat(key.look(limit, 1).reset()).as("a tick early").isPositive();
      key.move(tick(limit));
    }
    for (long cost : List.of(0L, 1L, limit.capacity(), limit.capacity() + 1)) {
      assertThat(key.look(limit, cost)).isEqualTo(unusedKeySees(limit, cost));
    }
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void anIdleKeyIsAsIfNeverUsed(@ForAll("wild") Trace trace) {
    MeterSubject key = after(trace);
    Limit limit = last(trace);
    ObservedAnswer seen = key.take(limit, 1, 1_000);
    long now = key.now(limit);
    long idleIn = Math.max(now, key.idleAt(limit)) - now;
    assertThat(idleIn).isGreaterThan(seen.reset() - tick(limit));
    key.move(idleIn);
    for (long cost : List.of(0L, 1L, limit.capacity())) {
      assertThat(key.look(limit, cost)).isEqualTo(unusedKeySees(limit, cost));
    }
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void remainingIsWhatCouldBeTakenAndNotOneMore(@ForAll("wild") Trace trace) {
    MeterSubject key = after(trace);
    Limit limit = last(trace);
    long remaining = key.look(limit, 0).remaining();
    assertThat(remaining).isBetween(0L, limit.capacity());
    assertThat(key.look(limit, remaining).allowed()).isEqualTo(limit.capacity() > 0);
    assertThat(key.look(limit, remaining + 1).allowed()).isFalse();
    if (limit.algorithm() != Algorithm.CONCURRENCY) {
      key.take(limit, remaining, 1_000);
      assertThat(key.look(limit, 0).remaining()).isZero();
    }
  }
}
