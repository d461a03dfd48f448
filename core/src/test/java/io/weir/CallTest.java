package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rule.Match;
import io.weir.rule.Rule;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CallTest extends WeirFixture {
  private static final Limit TWO = Limit.slidingWindow(2, Duration.ofHours(1));

  @ParameterizedTest
  @ValueSource(strings = {"POST", "post", "Post", "pOsT"})
  void matchesAMethodInAnyCase(String method) {
    Rule payments =
        Rule.named("payments").match(Match.path("/payments").andMethod("POST")).limit(TWO).build();

    assertThat(admitted(weir(payments), Call.of(method, "/payments"), 5)).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "get", "HEAD", "head", "Head"})
  void matchesAMethodThatARuleWritesInAnyCase(String method) {
    Rule reads = Rule.named("reads").match(Match.ALL.andMethod("get")).limit(TWO).build();

    assertThat(admitted(weir(reads), Call.of(method, "/"), 5)).isEqualTo(2);
  }

  @Test
  void countsAMethodAsOneKeyInAnyCase() {
    Weir weir = weir(Rule.named("by-method").key("method").limit(TWO).build());

    assertThat(weir.check(Call.of("POST", "/")).allowed()).isTrue();
    assertThat(weir.check(Call.of("post", "/")).allowed()).isTrue();
    assertThat(weir.check(Call.of("Post", "/")).allowed()).isFalse();
    assertThat(weir.check(Call.of("get", "/")).allowed()).isTrue();
    assertThat(weir.check(Call.of("head", "/")).allowed()).isTrue();
    assertThat(weir.check(Call.of("HEAD", "/")).allowed()).isFalse();
  }

  @Test
  void keepsAMethodThatIsInUpperCaseAsItIs() {
    String method = "PROPFIND";

    assertThat(Call.of(method, "/").method()).isSameAs(method);
  }

  @Test
  void changesNoLettersBeyondAscii() {
    assertThat(Call.of("poſt", "/").method()).isEqualTo("POſT");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "payments",
        " /payments",
        "*",
        "?a",
        "\\payments",
        "%2Fa",
        "http://h/payments"
      })
  void refusesAPathThatDoesNotBeginWithASlash(String path) {
    assertThatThrownBy(() -> Call.of("GET", path))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("path must begin with '/'");
  }
}
