package io.weir.adjust;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.Ratio;
import io.weir.Reason;
import io.weir.engine.Engine;
import io.weir.rule.Rule;
import io.weir.rule.RuleLimits;
import io.weir.rule.RuleSet;
import io.weir.rule.Schedule;
import io.weir.rule.TenantPlan;
import io.weir.time.VirtualTime;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The order of effects on one key: block; tier and tenant; override; schedule; signal; penalty. The
 * rule takes its limits from tiers: gold has 1000 an hour, all others 100. From 08:00 to 20:00 a
 * schedule doubles them.
 */
class OrderOfEffectsTest {
  private static final Instant NIGHT = Instant.parse("2026-01-01T02:00:00Z");
  private static final Instant DAY = Instant.parse("2026-01-01T12:00:00Z");
  private static final KeyIdentity KEY = KeyIdentity.of(List.of("42"));
  private static final ControlSpan ALWAYS = ControlSpan.of(Instant.EPOCH, Instant.MAX);

  private static RuleSet rules() {
    Schedule day =
        new Schedule(
            Set.of(), LocalTime.of(8, 0), LocalTime.of(20, 0), ZoneOffset.UTC, Ratio.of("2"));
    return RuleSet.builder()
        .tenant("*", plan("free", "100/h"))
        .tenant("acme", plan("gold", "1000/h"))
        .rule(Rule.named("api").key("user").limits(new RuleLimits.OfTier()).schedule(day).build())
        .build();
  }

  private static TenantPlan plan(String tier, String limit) {
    return new TenantPlan(tier, List.of(Limit.parse(limit).named("rate")));
  }

  private static Call call(String tenant) {
    return Call.of("GET", "/").with("user", "42").with("tenant", tenant);
  }

  @ParameterizedTest
  @CsvSource({
    // tenant, time, override, severity, block, kill switch -> limit in force
    "other, night, none,  0, false, false, 100",
    "acme,  night, none,  0, false, false, 1000",
    "acme,  day,   none,  0, false, false, 2000",
    "other, night, 500/h, 0, false, false, 500",
    "acme,  night, 500/h, 0, false, false, 500",
    "acme,  day,   500/h, 0, false, false, 1000",
    "acme,  day,   500/h, 1, false, false, 500",
    "acme,  day,   500/h, 2, false, false, 100",
    "acme,  day,   x3,    0, false, false, 6000",
    "acme,  day,   x3,    1, false, false, 3000",
    "other, night, x3,    2, false, false, 30",
    "other, night, none,  1, false, false, 50",
    "other, night, none,  2, false, false, 10",
    "acme,  day,   none,  2, false, false, 200",
    "acme,  day,   unlimited, 2, false, false, none",
    "acme,  day,   unlimited, 3, false, false, blocked",
    "acme,  day,   unlimited, 0, true,  false, blocked",
    "acme,  day,   500/h, 3, false, false, blocked",
    "acme,  day,   500/h, 0, true,  false, blocked",
    "acme,  day,   500/h, 2, true,  true,  shadow 1000",
    "acme,  day,   none,  3, true,  true,  shadow 2000",
    "other, night, none,  1, true,  true,  shadow 100",
  })
  void effectsApplyInOrder(
      String tenant,
      String hour,
      String override,
      int severity,
      boolean block,
      boolean kill,
      String expected) {
    VirtualTime time = new VirtualTime(hour.equals("day") ? DAY : NIGHT);
    TrafficControls.Builder controls = TrafficControls.builder();
    if (!override.equals("none")) {
      controls.override(1, "api", KEY, effect(override), ALWAYS);
    }
    if (severity > 0) {
      controls.signal(2, "", KEY, Severity.values()[severity - 1], ALWAYS);
    }
    if (block) {
      controls.block(3, "api", KEY, ALWAYS);
    }
    if (kill) {
      controls.killSwitch(KillSwitchScope.parse("rule/api"), ALWAYS);
    }
    try (Engine engine = Engine.builder().rules(rules()).time(time).build()) {
      engine.control(controls.build());
      assertThat(engine.rejectedControls()).isEmpty();
      assertThat(summary(engine.check(call(tenant)))).isEqualTo(expected);
    }
  }

  private static OverrideEffect effect(String text) {
    if (text.equals("unlimited")) {
      return new OverrideEffect.Unlimited();
    }
    return text.startsWith("x")
        ? new OverrideEffect.Factor(Ratio.of(text.substring(1)))
        : new OverrideEffect.OtherLimit("rate", Limit.parse(text));
  }

  private static String summary(Decision decision) {
    if (decision.reason() == Reason.BLOCKED) {
      return "blocked";
    }
    if (decision.statuses().isEmpty()) {
      return "none";
    }
    var status = decision.statuses().get(0);
    return (status.mode() == Mode.SHADOW ? "shadow " : "") + status.limit().capacity();
  }

  @Test
  void aPenaltyComesLast() {
    Adjustment adjustment =
        Adjustment.of(new OverrideEffect.OtherLimit("", Limit.parse("500/h")))[1].withPenalty(
            Ratio.of("0.5"));

    assertThat(adjustment.of(Limit.parse("100/h"), "api", true, Ratio.of("2")))
        .isEqualTo(Limit.parse("250/h"));
  }
}
