package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Quota;
import io.weir.base.Micros;
import io.weir.testkit.reference.ObservedAnswer;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.util.List;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

/** Calendar periods cover all of time in every zone, including clock changes. */
class QuotaCalendarProperties extends LimitPropertyBase {
  private static final Instant START = Instant.parse("2024-01-01T00:00:00Z");

  @Property(edgeCases = EdgeCasesMode.NONE)
  void aPeriodEndsAfterNowAndNotTooLate(
      @ForAll("zones") ZoneId zone,
      @ForAll Quota.Period period,
      @ForAll @LongRange(max = 12) long transition,
      @ForAll @LongRange(min = -100_000_000_000L, max = 100_000_000_000L) long offset) {
    holds(new Quota(2, period, zone, ""), near(zone, transition).plus(offset, ChronoUnit.MICROS));
  }

  @Test
  void hoursAroundUnusualClockChangesEnd() {
    for (String odd : List.of("Australia/Lord_Howe", "Pacific/Chatham", "Africa/Casablanca")) {
      ZoneId zone = ZoneId.of(odd);
      for (int transition = 1; transition <= 2; transition++) {
        for (int minutes = -180; minutes <= 180; minutes += 5) {
          Instant at = near(zone, transition).plus(minutes, ChronoUnit.MINUTES);
          for (Quota.Period period : Quota.Period.values()) {
            holds(new Quota(2, period, zone, ""), at);
          }
        }
      }
    }
  }

  private static void holds(Quota quota, Instant at) {
    long now = ChronoUnit.MICROS.between(Instant.EPOCH, at);
    MeterSubject key = unused(quota, now, 0);
    ObservedAnswer seen = key.take(quota, 1, 1);
    assertThat(seen.reset()).isBetween(1L, Micros.of(longest(quota.period())));

    key.move(seen.reset() - 1);
    assertThat(key.look(quota, 1).remaining()).as("the same period").isEqualTo(1);
    key.move(1);
    assertThat(key.look(quota, 1).remaining()).as("the next period").isEqualTo(2);
    assertThat(key.take(quota, 1, 2).reset()).isPositive();
  }

  private static Duration longest(Quota.Period period) {
    return switch (period) {
      case HOUR -> Duration.ofHours(2);
      case DAY -> Duration.ofHours(49);
      case WEEK, MONTH -> period.length().plusHours(25);
    };
  }

  /** A moment at which this zone changes its clocks, if it ever does. */
  private static Instant near(ZoneId zone, long transition) {
    Instant at = START;
    for (long i = 0; i < transition; i++) {
      ZoneOffsetTransition next = zone.getRules().nextTransition(at);
      if (next == null) {
        return at;
      }
      at = next.getInstant();
    }
    return at;
  }

  @Provide
  Arbitrary<ZoneId> zones() {
    return Arbitraries.of(List.copyOf(new TreeSet<>(ZoneId.getAvailableZoneIds()))).map(ZoneId::of);
  }
}
