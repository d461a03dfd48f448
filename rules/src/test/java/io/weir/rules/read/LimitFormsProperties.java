package io.weir.rules.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.rule.RuleLimits;
import io.weir.rule.RuleSet;
import io.weir.rules.LoadResult;
import io.weir.rules.RuleDocuments;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** A limit printed as a line, and written as a map, reads back as the same limit. */
class LimitFormsProperties {
  private static Limit read(String limit) {
    LoadResult<RuleSet> loaded =
        RuleDocuments.parse(
            "r.yaml", "version: 1\nrules: [{ id: r, key: [ip], cost: 0, limit: " + limit + " }]");
    assertThat(loaded.errors()).isEmpty();
    return ((RuleLimits.Listed) loaded.value().orElseThrow().rules().get(0).limits())
        .limits()
        .get(0);
  }

  @Provide
  Arbitrary<Limit> limits() {
    Arbitrary<Long> numbers = Arbitraries.longs().between(0, 9_999);
    Arbitrary<Duration> periods =
        Arbitraries.of("7ms", "s", "30s", "min", "h", "day", "week")
            .map(io.weir.base.RateSyntax::parse);
    Arbitrary<String> names = Arbitraries.of("", "a", "per-minute", "x_1.y");
    Arbitrary<String> rates =
        Combinators.combine(numbers, periods)
            .as((n, period) -> n + "/" + io.weir.base.RateSyntax.print(period));
    Arbitrary<String> specs =
        Arbitraries.oneOf(
            rates,
            Combinators.combine(rates, numbers).as((rate, n) -> rate + " burst=" + n),
            Combinators.combine(rates, numbers)
                .as((rate, n) -> "leaky-bucket " + rate + " queue=" + n + " max_wait=500ms"),
            rates.map(rate -> "fixed-window " + rate + " aligned=true"),
            rates.map(rate -> "sliding-window " + rate),
            rates.map(rate -> "sliding-log " + rate),
            numbers.map(n -> "quota " + n + "/month zone=Europe/Berlin"),
            numbers.map(n -> "concurrency " + n + " permit_ttl=90s"));
    return Combinators.combine(specs.filter(LimitFormsProperties::isPossible), names)
        .as((spec, name) -> Limit.parse(spec).named(name));
  }

  /** Whether the limit is valid; a burst that takes more than a century to refill is not. */
  private static boolean isPossible(String spec) {
    try {
      Limit.parse(spec);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  @Property
  void aLineReadsBack(@ForAll("limits") Limit limit) {
    assertThat(read("\"" + limit + "\"")).isEqualTo(limit);
  }

  @Property
  void aMapReadsBack(@ForAll("limits") Limit limit) {
    List<String> words = List.of(limit.toString().split(" "));
    StringBuilder map = new StringBuilder("{ ");
    for (String word : words) {
      int equals = word.indexOf('=');
      if (equals > 0) {
        map.append(word, 0, equals).append(": ").append(word.substring(equals + 1));
      } else if (Character.isLetter(word.charAt(0))) {
        map.append("algorithm: ").append(word);
      } else {
        map.append(word.contains("/") ? "rate: " : "permits: ").append(word);
      }
      map.append(", ");
    }
    assertThat(read(map.append("}").toString())).isEqualTo(limit);
  }
}
