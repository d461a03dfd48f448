package io.weir.server.envoy.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;

/** Patterns match the same strings as the equivalent regular expression. */
class GlobProperties {
  @Property(tries = 5000)
  void matchesLikeARegularExpression(
      @ForAll @Chars({'a', 'b', '*'}) @StringLength(max = 6) String some,
      @ForAll @Chars({'a', 'b'}) @StringLength(max = 8) String value) {
    String pattern = some + "*";
    String expression =
        Arrays.stream(pattern.split("\\*", -1))
            .map(Pattern::quote)
            .collect(Collectors.joining(".*"));
    assertThat(new Glob(pattern).matches(value)).isEqualTo(value.matches(expression));
    String turned = new StringBuilder(pattern).reverse().toString();
    String turnedValue = new StringBuilder(value).reverse().toString();
    assertThat(new Glob(turned).matches(turnedValue)).isEqualTo(value.matches(expression));
  }

  @Property(tries = 200)
  void matchesTheStringItWasBuiltFrom(
      @ForAll @CharRange(from = 'a', to = 'c') @StringLength(max = 20) String value,
      @ForAll int at) {
    int cut = Math.floorMod(at, value.length() + 1);
    String pattern = value.substring(0, cut) + "*" + value.substring(cut);
    assertThat(new Glob(pattern).matches(value)).isTrue();
  }
}
