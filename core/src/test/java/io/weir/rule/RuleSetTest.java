package io.weir.rule;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.Mode;
import io.weir.OnFail;
import io.weir.Ratio;
import java.lang.reflect.Modifier;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RuleSetTest {
  /** One change for each part of a rule but its id. */
  private static final List<UnaryOperator<Rule.Builder>> OTHERWISE =
      List.of(
          rule -> rule.match(Match.path("/other")),
          rule -> rule.except(Match.path("/other")),
          rule -> rule.key("tenant"),
          rule -> rule.limit(Limit.perSecond(11)),
          rule -> rule.cost(new Cost.Fixed(2)),
          rule -> rule.scope(Scope.INSTANCE),
          rule -> rule.replaces("other"),
          rule ->
              rule.schedule(
                  new Schedule(
                      Set.of(), LocalTime.MIN, LocalTime.NOON, ZoneOffset.UTC, Ratio.of(1, 2))),
          rule -> rule.mode(Mode.SHADOW),
          rule -> rule.percent(50),
          rule -> rule.onFail(OnFail.CLOSED),
          rule -> rule.localFactor(Ratio.of(1, 2)),
          rule -> rule.onMissing(OnMissing.SKIP),
          rule -> rule.accuracy(new Accuracy(20_000)),
          rule -> rule.shards(2),
          rule -> rule.countDenied(true),
          rule -> rule.description("other"),
          rule -> rule.owner("other"),
          rule -> rule.options(RuleOptions.DEFAULT.onLimit(OnLimit.MARK)));

  private static Rule.Builder rule(String id) {
    return Rule.named(id).match(Match.path("/a", "/b")).key("user").limit(Limit.perSecond(10));
  }

  private static RuleSet.Builder set() {
    return RuleSet.builder().rule(rule("one").build());
  }

  @Test
  void equalIfAllPartsAreEqual() {
    assertThat(set().build()).isEqualTo(set().build()).hasSameHashCodeAs(set().build());
    assertThat(rule("one").build()).isNotEqualTo(rule("two").build());
    for (UnaryOperator<Rule.Builder> otherwise : OTHERWISE) {
      assertThat(otherwise.apply(rule("one")).build())
          .isEqualTo(otherwise.apply(rule("one")).build())
          .isNotEqualTo(rule("one").build());
    }
  }

  @Test
  void everyPartOfARuleIsCompared() {
    Stream<?> parts =
        Arrays.stream(Rule.class.getDeclaredFields())
            .filter(field -> !Modifier.isStatic(field.getModifiers()));

    assertThat(parts).hasSize(OTHERWISE.size() + 1);
  }

  @Test
  void notEqualWithOtherPlansTokensOrOrder() {
    TenantPlan plan = new TenantPlan("gold", List.of(Limit.perSecond(1).named("rate")));
    Bypass bypass = new Bypass("b", "0".repeat(64), Limit.perSecond(1), Instant.EPOCH);
    Rule two = rule("two").build();

    assertThat(set().build())
        .isNotEqualTo(set().tenant("acme", plan).build())
        .isNotEqualTo(set().bypass(bypass).build())
        .isNotEqualTo(set().rule(two).build());
    assertThat(set().rule(two).build()).isNotEqualTo(RuleSet.of(two, rule("one").build()));
  }
}
