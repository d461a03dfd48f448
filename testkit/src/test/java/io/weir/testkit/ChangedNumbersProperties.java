package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.FixedWindow;
import io.weir.Limit;
import io.weir.Quota;
import io.weir.SlidingLog;
import io.weir.SlidingWindow;
import io.weir.testkit.reference.ObservedAnswer;
import io.weir.testkit.trace.RandomLimits;
import io.weir.testkit.trace.Trace;
import java.time.ZoneOffset;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.Tuple.Tuple2;

/** New numbers apply at once, and earlier usage persists. */
class ChangedNumbersProperties extends LimitPropertyBase {
  @Property(edgeCases = EdgeCasesMode.NONE)
  void usagePersists(@ForAll("changes") Tuple2<Trace, Limit> change) {
    MeterSubject key = after(change.get1());
    Limit old = last(change.get1());
    Limit next = change.get2();
    Assume.that(old.capacity() > 0 && next.capacity() > 0 && !forgets(old, next));
    // At a common tick of both limits, so that the change itself adds no time.
    key.move(1000 - Math.floorMod(key.now(old), 1000L));

    ObservedAnswer before = key.take(old, 1, 1_000);
    // A refused call stores nothing: the time since the last take would count at the new rate.
    key.refund(old, 0);
    ObservedAnswer after = key.look(next, 1);

    long used = old.capacity() - before.remaining();
    long expected = Math.max(0, next.capacity() - used);
    if (sameClock(old, next) && before.allowed() && !remembersMore(change.get1(), next)) {
      assertThat(after.remaining()).isEqualTo(expected);
    }
    if (!hasOwnCount(change.get1(), next)) {
      assertThat(after.remaining()).isLessThanOrEqualTo(expected);
    }
  }

  @Example
  void usageOfAnEarlierPeriodIsNotThatOfTheNextHour() {
    Limit day = new Quota(4, Quota.Period.DAY, ZoneOffset.UTC, "");
    Limit hour = new Quota(4, Quota.Period.HOUR, ZoneOffset.UTC, "");
    MeterSubject key = unused(day, 1_700_000_000_000_000L, 0);
    key.take(day, 3, 1);
    key.take(hour, 1, 2); // the day's usage counts in the first hour
    assertThat(key.look(hour, 1).remaining()).isZero();
    key.move(3_600_000_000L);
    key.take(hour, 1, 3);
    key.open(day);
    assertThat(key.look(day, 1).remaining()).isZero();
    assertThat(key.look(hour, 1).remaining()).isEqualTo(3);
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void limitOfZeroAppliesAtOnceAndALookDoesNotLiftIt(@ForAll("wild") Trace trace) {
    MeterSubject key = after(trace);
    Limit limit = last(trace);
    long before = key.look(limit, 1).remaining();
    Limit none = limit.scaled(io.weir.Ratio.of(0, 1));
    assertThat(key.look(none, 0).allowed()).isFalse();
    assertThat(key.look(none, 1).allowed()).isFalse();
    assertThat(key.look(limit, 1).remaining()).isEqualTo(before);
  }

  /**
   * Whether more usage may count than the last limit shows: a larger burst counts usage that
   * smaller ones have clipped, and a window counts usage that windows of another length have
   * dropped.
   */
  private static boolean remembersMore(Trace trace, Limit next) {
    boolean window =
        next instanceof FixedWindow || next instanceof SlidingWindow || next instanceof Quota;
    return (window || next.capacity() > last(trace).capacity()) && limits(trace).count() > 1;
  }

  /**
   * Whether windows of the next length may have been counted beside those of the last one. Their
   * own count applies then, and what was used before they began is not in it.
   */
  private static boolean hasOwnCount(Trace trace, Limit next) {
    return !sameWindows(last(trace), next)
        && limits(trace).anyMatch(earlier -> sameWindows(earlier, next));
  }

  private static boolean sameWindows(Limit a, Limit b) {
    return a instanceof Quota one && b instanceof Quota other
        ? one.period() == other.period()
        : a.window().equals(b.window());
  }

  /** A shorter log does not remember as far back. */
  private static boolean forgets(Limit old, Limit next) {
    return old instanceof SlidingLog && !old.window().equals(next.window());
  }

  private static boolean sameClock(Limit old, Limit next) {
    if (old instanceof SlidingWindow a && next instanceof SlidingWindow b) {
      return a.aligned() == b.aligned();
    }
    return !(old instanceof FixedWindow a)
        || !(next instanceof FixedWindow b)
        || a.aligned() == b.aligned();
  }

  @Provide
  Arbitrary<Tuple2<Trace, Limit>> changes() {
    return wild()
        .flatMap(
            trace -> RandomLimits.of(trace.limit().algorithm()).map(next -> Tuple.of(trace, next)));
  }
}
