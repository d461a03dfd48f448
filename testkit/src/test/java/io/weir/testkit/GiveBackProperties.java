package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Algorithm;
import io.weir.Limit;
import io.weir.testkit.reference.ObservedAnswer;
import io.weir.testkit.trace.Trace;
import net.jqwik.api.Assume;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

/** A settlement gives a key the state it would have if the actual cost had been known at once. */
class GiveBackProperties extends LimitPropertyBase {
  private static final long ID = 1_000;

  @Property(edgeCases = EdgeCasesMode.NONE)
  void givingBackAtOnceUndoesTheTake(
      @ForAll("wild") Trace trace, @ForAll @IntRange(max = 100) int percent) {
    MeterSubject key = after(trace);
    Limit limit = last(trace);
    Assume.that(limit.algorithm() != Algorithm.CONCURRENCY);
    long cost = 1 + limit.capacity() * percent / 100;
    ObservedAnswer before = key.look(limit, cost);
    if (key.take(limit, cost, ID).allowed()) {
      key.settle(limit, ID, 0);
      assertThat(key.look(limit, cost)).isEqualTo(before);
    }
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void givingBackLaterNeverTakesNorRaisesAboveFull(
      @ForAll("wild") Trace trace, @ForAll @LongRange(max = 200_000_000_000L) long later) {
    MeterSubject key = after(trace);
    Limit limit = last(trace);
    if (!key.take(limit, 1, ID).allowed()) {
      return;
    }
    key.move(later);
    long before = key.look(limit, 0).remaining();
    key.settle(limit, ID, 0);
    long after = key.look(limit, 0).remaining();
    assertThat(after).isBetween(before, Math.min(before + 1, limit.capacity()));
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void costBeyondTheTakeBecomesDebt(
      @ForAll("wild") Trace trace, @ForAll @IntRange(min = 1, max = 3) int times) {
    MeterSubject key = after(trace);
    Limit limit = last(trace);
    Assume.that(limit.algorithm() != Algorithm.CONCURRENCY && limit.capacity() > 0);
    if (!key.take(limit, 1, ID).allowed()) {
      return;
    }
    long resetBefore = key.look(limit, 1).reset();
    key.settle(limit, ID, 1 + times * limit.capacity());
    ObservedAnswer after = key.look(limit, 1);
    assertThat(after.allowed()).isFalse();
    assertThat(after.remaining()).isZero();
    assertThat(after.reset()).isGreaterThanOrEqualTo(resetBefore);
    assertThat(after.retryAfter()).isPositive();
    key.move(after.retryAfter());
    assertThat(key.look(limit, 1).allowed()).isTrue();
  }
}
