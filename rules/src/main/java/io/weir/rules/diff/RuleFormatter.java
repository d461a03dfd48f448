package io.weir.rules.diff;

import io.weir.Limit;
import io.weir.Mode;
import io.weir.rule.Cost;
import io.weir.rule.Match;
import io.weir.rule.PathPattern;
import io.weir.rule.Rule;
import io.weir.rule.RuleLimits;
import io.weir.rule.Schedule;
import io.weir.rule.TenantPlan;
import java.time.DayOfWeek;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Formats rules and their parts in the syntax of the rule document, always in the same order. */
public final class RuleFormatter {
  private RuleFormatter() {}

  /** A rule in one line: its match, key and limit. */
  public static String of(Rule rule) {
    String except = rule.except().map(match -> " except " + of(match)).orElse("");
    String mode = rule.mode() == Mode.ENFORCE ? "" : ", mode " + rule.mode();
    String percent = rule.percent() == 100 ? "" : ", percent " + rule.percent();
    return of(rule.match())
        + except
        + ", key "
        + rule.key()
        + ", limit "
        + of(rule.limits())
        + mode
        + percent
        + OptionsDiff.changed(rule.options());
  }

  static String of(Match match) {
    List<String> parts = new ArrayList<>();
    if (!match.paths().isEmpty()) {
      parts.add("path " + any(match.paths().stream().map(PathPattern::text).toList()));
    }
    if (!match.methods().isEmpty()) {
      parts.add("method " + any(new TreeSet<>(match.methods())));
    }
    if (!match.hosts().isEmpty()) {
      parts.add("host " + any(new TreeSet<>(match.hosts())));
    }
    new TreeMap<>(match.attributes())
        .forEach((name, values) -> parts.add(name + " " + any(new TreeSet<>(values))));
    for (String name : new TreeSet<>(match.absent())) {
      parts.add("no " + name);
    }
    return parts.isEmpty() ? "every call" : String.join(", ", parts);
  }

  private static String any(Collection<String> values) {
    return String.join(" or ", values);
  }

  static String of(RuleLimits limits) {
    if (limits instanceof RuleLimits.Listed listed) {
      return listed.limits().stream().map(Limit::toString).collect(Collectors.joining(" and "));
    }
    return limits instanceof RuleLimits.OfTier ? "tier" : "unlimited";
  }

  static String of(TenantPlan plan) {
    return plan.limits().isEmpty()
        ? "unlimited"
        : plan.limits().stream().map(RuleFormatter::ofPlan).collect(Collectors.joining(", "));
  }

  /** A limit of a plan with its name: {@code rate 100/s}. */
  static String ofPlan(Limit limit) {
    String spec = limit.named("").toString();
    return limit.name().equals("rate") ? "rate " + spec : spec;
  }

  static String of(Cost cost) {
    if (cost instanceof Cost.Fixed fixed) {
      return Long.toString(fixed.amount());
    } else if (cost instanceof Cost.FromAttribute from) {
      return "attribute "
          + from.attribute()
          + ", default "
          + from.otherwise()
          + ", max "
          + from.max();
    } else if (cost instanceof Cost.FromResponse from) {
      return "response header " + from.header() + ", reserve " + from.reserve();
    }
    throw new AssertionError(cost);
  }

  static String of(List<Schedule> schedules) {
    return schedules.isEmpty()
        ? "none"
        : schedules.stream().map(RuleFormatter::of).collect(Collectors.joining("; "));
  }

  private static String of(Schedule schedule) {
    String days =
        schedule.days().size() == 7
            ? "daily"
            : new TreeSet<>(schedule.days())
                .stream().map(RuleFormatter::of).collect(Collectors.joining(" "));
    return days
        + " "
        + schedule.from()
        + "-"
        + (schedule.to().equals(LocalTime.MIDNIGHT) ? "24:00" : schedule.to())
        + " "
        + (schedule.zone().equals(ZoneOffset.UTC) ? "UTC" : schedule.zone())
        + " factor "
        + schedule.factor();
  }

  private static String of(DayOfWeek day) {
    return day.name().substring(0, 3).toLowerCase(Locale.ROOT);
  }

  static String of(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
