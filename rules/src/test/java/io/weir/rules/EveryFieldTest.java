package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.Mode;
import io.weir.OnFail;
import io.weir.Ratio;
import io.weir.rule.Accuracy;
import io.weir.rule.Cost;
import io.weir.rule.HeaderVisibility;
import io.weir.rule.Match;
import io.weir.rule.OnLimit;
import io.weir.rule.OnMissing;
import io.weir.rule.Penalty;
import io.weir.rule.Rule;
import io.weir.rule.RuleLimits;
import io.weir.rule.RuleOptions;
import io.weir.rule.RuleSet;
import io.weir.rule.Schedule;
import io.weir.rule.Scope;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
  void readsOptions() {
    RuleOptions options = rule("everything").options();
    assertThat(options.onLimit()).isEqualTo(OnLimit.REFUSE);
    assertThat(options.headers()).isEqualTo(HeaderVisibility.HIDDEN);
    assertThat(options.expires()).contains(Instant.parse("2030-01-01T12:00:00Z"));
    assertThat(options.penalty())
        .contains(new Penalty(20, Duration.ofMinutes(1), new Ratio(1, 2), Duration.ofMinutes(10)));
    assertThat(options.candidate().orElseThrow().limits())
        .extracting(Limit::toString)
        .containsExactly(
            "50/min burst=200 name=burst",
            "fixed-window 500/h aligned=true",
            "quota 50000/month zone=Europe/Berlin");
    assertThat(rule("logins").options()).isEqualTo(RuleOptions.DEFAULT.onLimit(OnLimit.MARK));
    assertThat(rule("default").options()).isEqualTo(RuleOptions.DEFAULT);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      textBlock =
          """
          100/s                              # 50/s # 50/s
          100/s burst=200                    # 50/s # 50/s burst=200
          100/s name=a                       # 50/min # 50/min name=a
          leaky-bucket 9/s queue=3 max_wait=2s # 5/s # leaky-bucket 5/s queue=3 max_wait=2s
          fixed-window 9/s aligned           # 5/s # fixed-window 5/s aligned=true
          sliding-window 9/s aligned         # 5/s # sliding-window 5/s aligned=true
          sliding-log 9/s                    # 5/min # sliding-log 5/min
          quota 9/day zone=Asia/Tokyo        # 5/month # quota 5/month zone=Asia/Tokyo
          concurrency 9 name=a               # concurrency 5 permit_ttl=9s # concurrency 5 permit_ttl=9s name=a
          100/s burst=200                    # { rate: 50/s } # 50/s
          100/s burst=200                    # 50/s burst=60 # 50/s burst=60
          """)
  void readsCandidates(String limit, String candidate, String read) {
    RuleSet rules =
        RuleDocuments.parse(
                "r.yaml",
                "version: 1\nrules: [{ id: r, key: [ip], limit: %s, candidate: %s }]"
                    .formatted(limit, candidate))
            .value()
            .orElseThrow();
    assertThat(rules.rules().get(0).options().candidate().orElseThrow().limits())
        .extracting(Limit::toString)
        .containsExactly(read);
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
