package io.weir.rule.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Call;
import io.weir.Limit;
import io.weir.rule.Match;
import io.weir.rule.OnMissing;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.Draw;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class RuleIndexTest {
  private static final String[] SEGMENTS = {"a", "b", "{x}", "*", "c"};
  private static final String[] VALUES = {"1", "2", "3"};

  private static Rule rule(String id, Match match) {
    return Rule.named(id).match(match).limit(Limit.perSecond(1)).build();
  }

  private static List<String> matched(RuleIndex index, Call call) {
    return index.plan(call, 0, Draw.Intent.TAKE).draws().stream()
        .map(draw -> draw.pool().rule())
        .toList();
  }

  @Test
  void findsByPathMethodHostAndAttribute() {
    RuleIndex index =
        RuleIndex.of(
            RuleSet.of(
                rule("all", Match.ALL),
                rule("users", Match.path("/v1/users/{id}")),
                rule("post", Match.path("/v1/**").andMethod("POST")),
                rule("get", Match.path("/v1/**").andMethod("GET")),
                rule("host", Match.ALL.andHost("api.example.com")),
                rule("hosts", Match.ALL.andHost("*.example.com")),
                rule("eu", Match.ALL.andAttribute("region", "eu", "uk"))));

    assertThat(matched(index, Call.of("GET", "/v1/users/7")))
        .containsExactly("all", "users", "get");
    assertThat(matched(index, Call.of("HEAD", "/v1"))).containsExactly("all", "get");
    assertThat(matched(index, Call.of("get", "/v1"))).containsExactly("all", "get");
    assertThat(matched(index, Call.of("POST", "/v1/x").host("API.example.com:8443")))
        .containsExactly("all", "post", "host", "hosts");
    assertThat(matched(index, Call.of("PUT", "/").host("a.b.example.com.")))
        .containsExactly("all", "hosts");
    assertThat(matched(index, Call.of("PUT", "/").host("example.com"))).containsExactly("all");
    assertThat(matched(index, Call.of("PUT", "/").with("region", "uk")))
        .containsExactly("all", "eu");
  }

  @Test
  void ruleWithSeveralPathsAppliesOnceByItsFirst() {
    RuleIndex index =
        RuleIndex.of(
            RuleSet.of(
                Rule.named("r")
                    .match(Match.path("/b/**", "/{any}/x", "/b/x"))
                    .key("route")
                    .limit(Limit.perSecond(1))
                    .build()));

    List<Draw> draws = index.plan(Call.of("GET", "/b/x"), 0, Draw.Intent.TAKE).draws();

    assertThat(draws).hasSize(1);
    assertThat(draws.get(0).key().parts()).containsExactly("/b/**");
  }

  @Test
  void exceptExcludesCalls() {
    RuleIndex index =
        RuleIndex.of(
            RuleSet.of(
                Rule.named("r")
                    .except(Match.path("/healthz", "/metrics").andMethod("GET"))
                    .limit(Limit.perSecond(1))
                    .build()));

    assertThat(matched(index, Call.of("GET", "/healthz/"))).isEmpty();
    assertThat(matched(index, Call.of("POST", "/healthz"))).containsExactly("r");
    assertThat(matched(index, Call.of("GET", "/"))).containsExactly("r");
  }

  /** The index finds the rules that a linear scan finds. */
  @Property
  void agreesWithTryingEveryRule(@ForAll Random random) {
    List<Rule> rules = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      rules.add(rule("r" + i, randomMatch(random)));
    }
    RuleIndex index = RuleIndex.of(RuleSet.of(rules.toArray(Rule[]::new)));
    for (int i = 0; i < 20; i++) {
      Call call = randomCall(random);
      List<String> expected =
          rules.stream().filter(rule -> rule.match().holds(call)).map(Rule::id).toList();

      assertThat(matched(index, call)).as("%s", call).isEqualTo(expected);
    }
  }

  private static Match randomMatch(Random random) {
    Match match = Match.ALL;
    if (random.nextInt(4) > 0) {
      String[] patterns = new String[1 + random.nextInt(2)];
      for (int i = 0; i < patterns.length; i++) {
        StringBuilder path = new StringBuilder();
        for (int depth = random.nextInt(4); depth >= 0; depth--) {
          path.append('/').append(SEGMENTS[random.nextInt(SEGMENTS.length)]);
        }
        patterns[i] = path + (random.nextInt(3) == 0 ? "/**" : "");
      }
      match = match.andPath(patterns);
    }
    if (random.nextInt(3) == 0) {
      match = match.andMethod(random.nextBoolean() ? "GET" : "POST");
    }
    if (random.nextInt(3) == 0) {
      match = match.andAttribute("p", VALUES[random.nextInt(3)]);
    }
    if (random.nextInt(3) == 0) {
      match = match.andAttribute("q", "1", VALUES[1 + random.nextInt(2)]);
    }
    if (random.nextInt(4) == 0) {
      match = match.andHost(random.nextBoolean() ? "h.example" : "*.example");
    }
    return random.nextInt(5) == 0 ? match.andAbsent("z") : match;
  }

  private static Call randomCall(Random random) {
    StringBuilder path = new StringBuilder();
    for (int depth = random.nextInt(5); depth >= 0; depth--) {
      path.append('/').append("abcd".charAt(random.nextInt(4)));
    }
    Call call =
        Call.of(random.nextBoolean() ? "GET" : "POST", path.toString())
            .with("p", VALUES[random.nextInt(3)])
            .host(random.nextBoolean() ? "h.example" : "other");
    call = random.nextBoolean() ? call.with("q", VALUES[random.nextInt(3)]) : call;
    return random.nextInt(3) == 0 ? call.with("z", "1") : call;
  }

  @Test
  void aThousandRulesCostNoMoreThanAFew() {
    List<Rule> rules = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      rules.add(rule("path" + i, Match.path("/service" + i + "/items/{id}")));
      rules.add(rule("tenant" + i, Match.ALL.andAttribute("tenant", "t" + i)));
      rules.add(rule("host" + i, Match.ALL.andHost("h" + i + ".example")));
    }
    Collections.shuffle(rules, new Random(1));
    RuleIndex index = RuleIndex.of(RuleSet.of(rules.toArray(Rule[]::new)));
    Call call = Call.of("GET", "/service7/items/1").with("tenant", "t9").host("h3.example");

    assertThat(matched(index, call)).containsExactlyInAnyOrder("path7", "tenant9", "host3");
    assertThat(index.candidates(call)).as("rules examined").isEqualTo(3);
  }

  @Test
  void aRuleThatSkipsACallReplacesNothing() {
    RuleIndex index =
        RuleIndex.of(
            RuleSet.of(
                Rule.named("address").key("ip").limit(Limit.perSecond(1)).build(),
                Rule.named("member")
                    .key("user")
                    .onMissing(OnMissing.SKIP)
                    .replaces("address")
                    .limit(Limit.perSecond(9))
                    .build()));
    Call anonymous = Call.of("GET", "/").with("ip", "192.0.2.7");

    assertThat(matched(index, anonymous)).containsExactly("address");
    assertThat(matched(index, anonymous.with("user", "42"))).containsExactly("member");
  }

  @Test
  void hostsOfRulesAreNormalizedLikeHostsOfCalls() {
    RuleIndex index =
        RuleIndex.of(
            RuleSet.of(
                rule("host", Match.ALL.andHost("API.example.com.")),
                rule("below", Match.ALL.andHost("*.Example.com")),
                rule("address", Match.ALL.andHost("[::1]"))));

    assertThat(matched(index, Call.of("GET", "/").host("api.EXAMPLE.com")))
        .containsExactly("host", "below");
    assertThat(matched(index, Call.of("GET", "/").host("[::1]:8080"))).containsExactly("address");
    assertThat(matched(index, Call.of("GET", "/").host("[::1]"))).containsExactly("address");
    assertThat(matched(index, Call.of("GET", "/").host("::1"))).isEmpty();
  }

  @Test
  void limitsOfARuleNeedDistinctNames() {
    Rule.Builder rule = Rule.named("rule").limit(Limit.perSecond(3).named("2"), Limit.perSecond(5));

    assertThatThrownBy(rule::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("two limits go by '2'");
  }
}
