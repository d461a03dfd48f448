package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.Match;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.time.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The Java examples of the README and of docs/use/embedding.md. */
class DocExamplesTest {

  @Test
  void byKey() {
    Limiter logins = Weir.limiter(Limit.perMinute(100).burst(200));

    assertThat(logins.tryAcquire("user:42")).isTrue();

    Decision decision = logins.check("user:42", 5);
    assertThat(decision.allowed()).isTrue();
    assertThat(decision.remaining()).isEqualTo(194);

    Key key = Key.of("tenant-7", "/v1/search");
    assertThat(logins.tryAcquire(key)).isTrue();
  }

  @Test
  void otherAlgorithms() {
    Limiter exports = Weir.limiter(Limit.parse("sliding-log 10/h"));
    Limiter uploads = Weir.limiter(Limit.concurrency(3));

    assertThat(exports.tryAcquire("user:42", 10)).isTrue();
    Decision slot = uploads.reserve("user:42", 1);
    assertThat(slot.allowed()).isTrue();
    assertThat(uploads.release(slot.reservation().orElseThrow())).isEqualTo(SettlementResult.DONE);
  }

  @Test
  void byRules() {
    Rule payments =
        Rule.named("payments")
            .match(Match.path("/payments").andMethod("POST"))
            .key("user")
            .limit(Limit.slidingWindow(5, Duration.ofSeconds(1)))
            .build();
    Rule everything =
        Rule.named("ip-default").key("ip").limit(Limit.perMinute(1000).burst(2000)).build();

    Weir weir = Weir.builder().rules(RuleSet.of(payments, everything)).build();

    Decision decision =
        weir.check(Call.of("POST", "/payments").with("user", "42").with("ip", "192.0.2.7"));
    assertThat(decision.allowed()).isTrue();
    assertThat(decision.statuses()).hasSize(2);
    assertThat(decision.deciding().orElseThrow().rule()).isEqualTo("payments");
  }

  @Test
  void withTimeOfItsOwn() {
    VirtualTime time = new VirtualTime();
    Limiter limiter = Limiter.builder(Limit.perDay(1)).time(time).build();

    assertThat(limiter.tryAcquire("k")).isTrue();
    assertThat(limiter.tryAcquire("k")).isFalse();
    time.advance(Duration.ofDays(1));
    assertThat(limiter.tryAcquire("k")).isTrue();
  }
}
