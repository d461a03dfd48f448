package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.Mode;
import io.weir.OnFail;
import io.weir.Ratio;
import io.weir.rule.Accuracy;
import io.weir.rule.Cost;
import io.weir.rule.Match;
import io.weir.rule.OnMissing;
import io.weir.rule.Rule;
import io.weir.rule.RuleLimits;
import io.weir.rule.RuleSet;
import io.weir.rule.Schedule;
import io.weir.rule.Scope;
import java.time.DayOfWeek;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Every field of the documentation's table reaches the rule. */
class EveryFieldTest {
  private final RuleSet set =
      RuleDocuments.parse(
              "r.yaml", RuleDocumentFixtures.text("every-field.yaml"), RuleDocumentFixtures.NOW)
          .value()
          .orElseThrow();

  @Test
  void readsMatchAndKey() {
    Rule rule = rule("everything");
    assertThat(rule.match())
        .isEqualTo(
            Match.path("/v1/users/{id}", "/v1/files/**")
                .andMethod("GET", "PUT")
                .andHost("api.example.com", "*.example.org")
                .andAttribute("region", "eu", "us")
                .andAttribute("plan", "pro")
                .andAbsent("internal"));
    assertThat(rule.except()).contains(Match.path("/v1/users/me"));
    assertThat(rule.key()).containsExactly("tenant", "header.x-plan", "route");
    assertThat(rule.description()).isEqualTo("All fields at once");
    assertThat(rule.owner()).isEqualTo("team-edge");
  }

  @Test
  void readsLimitAndCost() {
    Rule rule = rule("everything");
    assertThat(((RuleLimits.Listed) rule.limits()).limits())
        .extracting(Limit::toString)
        .containsExactly(
            "100/min burst=200 name=burst",
            "fixed-window 1000/h aligned=true",
            "quota 100000/month zone=Europe/Berlin");
    assertThat(rule.cost()).isEqualTo(new Cost.FromAttribute("units", 2, 10));
    assertThat(rule.scope()).isEqualTo(Scope.GLOBAL);
    assertThat(rule.replaces()).containsExactly("default");
    assertThat(rule.accuracy()).isEqualTo(new Accuracy(5_000));
    assertThat(rule.shards()).isEqualTo(8);
    assertThat(rule.countDenied()).isTrue();
    assertThat(rule("exports").accuracy()).isEqualTo(Accuracy.EXACT);
    assertThat(rule("upload").cost()).isEqualTo(new Cost.FromResponse("x-cost", 10));
    assertThat(rule("probes").limits()).isEqualTo(new RuleLimits.Unlimited());
  }

  @Test
  void readsScheduleModeAndFailurePolicy() {
    Rule rule = rule("everything");
    assertThat(rule.mode()).isEqualTo(Mode.ENFORCE);
    assertThat(rule.percent()).isEqualTo(10);
    assertThat(rule.onFail()).isEqualTo(OnFail.CLOSED);
    assertThat(rule.localFactor()).isEqualTo(new Ratio(1, 2));
    assertThat(rule.onMissing()).isEqualTo(OnMissing.DENY);
    assertThat(rule.schedule())
        .isEqualTo(
            List.of(
                new Schedule(
                    Set.of(
                        DayOfWeek.MONDAY,
                        DayOfWeek.TUESDAY,
                        DayOfWeek.WEDNESDAY,
                        DayOfWeek.THURSDAY,
                        DayOfWeek.FRIDAY),
                    LocalTime.of(9, 0),
                    LocalTime.of(18, 0),
                    ZoneId.of("Europe/Berlin"),
                    new Ratio(1, 2)),
                new Schedule(
                    Set.of(),
                    LocalTime.of(22, 0),
                    LocalTime.of(6, 0),
                    ZoneOffset.UTC,
                    new Ratio(2, 1))));
  }

  @Test
  void readsAWholeDay() {
    LoadResult<RuleSet> loaded =
        RuleDocuments.parse(
            "r.yaml",
            """
            version: 1
            rules:
              - id: r
                key: [ip]
                limit: 10/s
                schedule: [{ hours: "08:00-24:00", factor: 2 }, { hours: "00:00-24:00", factor: 3 }]
            """);
    List<Schedule> schedule = loaded.value().orElseThrow().rules().get(0).schedule();
    assertThat(schedule).extracting(Schedule::to).containsOnly(LocalTime.MIDNIGHT);
    assertThat(schedule.get(0).covers(RuleDocumentFixtures.NOW.atZone(ZoneOffset.UTC))).isTrue();
    assertThat(schedule.get(1).covers(RuleDocumentFixtures.NOW.atZone(ZoneOffset.UTC))).isTrue();
  }

  private Rule rule(String id) {
    return set.rule(id).orElseThrow();
  }
}
