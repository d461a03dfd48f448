package io.weir.rule;

import io.weir.Ratio;
import java.time.DayOfWeek;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Set;

/**
 * Hours in which the numbers of a rule's limits are multiplied by a factor.
 *
 * @param days the days on which the hours begin; all seven if empty
 * @param from the start, inclusive
 * @param to the end, exclusive; on the next day if it is at or before {@code from}
 */
public record Schedule(
    Set<DayOfWeek> days, LocalTime from, LocalTime to, ZoneId zone, Ratio factor) {
  public Schedule {
    days = days.isEmpty() ? Set.of(DayOfWeek.values()) : Set.copyOf(days);
  }

  /** Whether the factor applies at this moment. */
  public boolean covers(ZonedDateTime moment) {
    ZonedDateTime at = moment.withZoneSameInstant(zone);
    LocalTime time = at.toLocalTime();
    DayOfWeek today = at.getDayOfWeek();
    if (from.isBefore(to)) {
      return days.contains(today) && !time.isBefore(from) && time.isBefore(to);
    }
    return (days.contains(today) && !time.isBefore(from))
        || (days.contains(today.minus(1)) && time.isBefore(to));
  }
}
