package io.weir.rules.read;

import io.weir.Ratio;
import io.weir.base.RateSyntax;
import io.weir.rule.Schedule;
import io.weir.rules.text.Messages;
import io.weir.rules.tree.Location;
import io.weir.rules.tree.MapReader;
import io.weir.rules.tree.TreeNode;
import io.weir.rules.tree.TreeNode.Mapping;
import java.time.DayOfWeek;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads {@code schedule}: hours in which a rule's numbers are multiplied. */
public final class ScheduleReader {
  public static final List<String> FIELDS = List.of("days", "hours", "zone", "factor");
  private static final List<String> DAYS = List.of("mon", "tue", "wed", "thu", "fri", "sat", "sun");
  private static final String HOURS = "\"09:00-18:00\"";
  private static final Pattern HOURS_FORM =
      Pattern.compile("([0-9]{2}):([0-9]{2}) ?- ?([0-9]{2}):([0-9]{2})");

  private ScheduleReader() {}

  /** A schedule and its line. */
  record LocatedSchedule(Schedule schedule, int line) {}

  /** Hours of the day; {@code to} is midnight for 24:00. */
  private record Hours(LocalTime from, LocalTime to) {
    static final Hours ALL_DAY = new Hours(LocalTime.MIDNIGHT, LocalTime.MIDNIGHT);
  }

  static List<LocatedSchedule> read(MapReader rule) {
    List<LocatedSchedule> schedules = new ArrayList<>();
    for (TreeNode item : rule.items("schedule")) {
      if (item instanceof Mapping map) {
        Location location = rule.location().within("schedule");
        entry(MapReader.of(location, map, FIELDS))
            .ifPresent(schedule -> schedules.add(new LocatedSchedule(schedule, map.line())));
      } else {
        rule.location()
            .error(
                item.line(),
                "schedule must be a list of maps such as { hours: "
                    + HOURS
                    + ", factor: 0.5 }, not "
                    + item.what());
      }
    }
    return schedules;
  }

  private static Optional<Schedule> entry(MapReader fields) {
    Set<DayOfWeek> days = days(fields);
    Optional<Hours> hours = fields.read("hours", HOURS, ScheduleReader::hours);
    Optional<ZoneId> zone = fields.read("zone", "Europe/Berlin", RateSyntax::zone);
    Optional<Ratio> factor = fields.read("factor", "0.5", ScheduleReader::factor);
    if (!fields.has("factor")) {
      fields.location().error(fields.line("factor"), "factor is missing, such as 0.5");
    }
    return factor.map(
        f -> {
          Hours h = hours.orElse(Hours.ALL_DAY);
          return new Schedule(days, h.from(), h.to(), zone.orElse(ZoneOffset.UTC), f);
        });
  }

  private static Set<DayOfWeek> days(MapReader fields) {
    Set<DayOfWeek> days = EnumSet.noneOf(DayOfWeek.class);
    for (MapReader.LocatedText day : fields.texts("days", "mon")) {
      int index = DAYS.indexOf(day.text().toLowerCase(Locale.ROOT));
      if (index < 0) {
        fields
            .location()
            .error(
                day.line(),
                "days are " + Messages.list(DAYS) + ", not " + Messages.quote(day.text()));
      } else {
        days.add(DayOfWeek.of(index + 1));
      }
    }
    return days;
  }

  private static Hours hours(String text) {
    Matcher form = HOURS_FORM.matcher(text.strip());
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "hours must be such as " + HOURS + ", not " + Messages.quote(text));
    }
    Hours hours =
        new Hours(
            time(form.group(1), form.group(2), false), time(form.group(3), form.group(4), true));
    if (hours.from().equals(hours.to()) && !text.strip().endsWith("24:00")) {
      throw new IllegalArgumentException(
          "hours " + text + " begin and end at the same time; a whole day is 00:00-24:00");
    }
    return hours;
  }

  private static LocalTime time(String hour, String minute, boolean end) {
    int h = Integer.parseInt(hour);
    int m = Integer.parseInt(minute);
    if (h == 24 && m == 0 && end) {
      return LocalTime.MIDNIGHT;
    }
    if (h > 23 || m > 59) {
      throw new IllegalArgumentException(
          hour
              + ":"
              + minute
              + " is not a time of day"
              + (h == 24 && m == 0 ? " to begin at" : ""));
    }
    return LocalTime.of(h, m);
  }

  /** A factor. Its length is capped because BigDecimal parsing is quadratic in the digits. */
  static Ratio factor(String text) {
    if (text.length() > 16) {
      throw new IllegalArgumentException(Messages.quote(text) + " is not a factor such as 0.5");
    }
    return Ratio.of(text);
  }
}
