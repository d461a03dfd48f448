package io.weir.rules.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Explanation;
import io.weir.Limit;
import io.weir.rule.Match;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.index.RuleIndex;
import io.weir.rules.diff.RuleFormatter;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** If one rule covers another, no call matches the other alone. */
class MatchSubsumptionProperties {
  private static final List<String> PATHS =
      List.of("/**", "/a", "/a/**", "/a/b", "/a/{x}", "/*/b", "/{x}/**", "/a/b/c", "/");
  private static final List<String> METHODS = List.of("GET", "POST", "PUT");
  private static final List<String> HOSTS =
      List.of("a.com", "b.a.com", "*.a.com", "*.b.a.com", "c.com");

  @Property
  void isNeverWrong(@ForAll Random random) {
    for (int i = 0; i < 50; i++) {
      Rule outer = rule("outer", random);
      Rule inner = rule("inner", random);
      if (MatchSubsumption.covers(outer, inner)) {
        RuleIndex index = RuleIndex.of(RuleSet.of(outer, inner));
        for (int j = 0; j < 50; j++) {
          Call call = call(random);
          List<Explanation.RuleCheck> notes = index.explain(call);
          assertThat(notes.get(0).applies() || !notes.get(1).applies())
              .as("%s: %s covers %s", call, RuleFormatter.of(outer), RuleFormatter.of(inner))
              .isTrue();
        }
      }
    }
  }

  private static Rule rule(String id, Random random) {
    Rule.Builder rule = Rule.named(id).match(match(random)).key("ip").limit(Limit.perSecond(5));
    return random.nextInt(3) == 0 ? rule.except(match(random)).build() : rule.build();
  }

  private static Match match(Random random) {
    Match match = Match.ALL;
    if (random.nextBoolean()) {
      match = match.andPath(some(PATHS, random), some(PATHS, random));
    }
    if (random.nextInt(3) == 0) {
      match = match.andMethod(some(METHODS, random));
    }
    if (random.nextInt(3) == 0) {
      match = match.andHost(some(HOSTS, random));
    }
    if (random.nextInt(3) == 0) {
      match = match.andAttribute("x", some(List.of("1", "2"), random));
    }
    return random.nextInt(4) == 0 ? match.andAbsent(some(List.of("x", "y"), random)) : match;
  }

  private static Call call(Random random) {
    Call call =
        Call.of(
                some(List.of("GET", "HEAD", "POST", "PUT"), random),
                some(List.of("/", "/a", "/a/", "/a/b", "/a/b/c", "/b/b", "/c"), random))
            .with("ip", "192.0.2.1")
            .host(some(List.of("a.com", "b.a.com", "d.b.a.com", "c.com:80", ""), random));
    if (random.nextBoolean()) {
      call = call.with("x", some(List.of("1", "2", "3"), random));
    }
    return random.nextBoolean() ? call : call.with("y", "1");
  }

  private static String some(List<String> values, Random random) {
    return values.get(random.nextInt(values.size()));
  }
}
