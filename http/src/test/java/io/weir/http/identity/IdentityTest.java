package io.weir.http.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Limit;
import io.weir.http.FakeRequestHead;
import io.weir.rule.Cost;
import io.weir.rule.Match;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import org.junit.jupiter.api.Test;

class IdentityTest {
  private static final RuleHeaders RULES =
      RuleHeaders.of(
          RuleSet.of(
              Rule.named("a")
                  .match(
                      Match.ALL.andAttribute("header.X-Region", "eu").andAbsent("header.x-debug"))
                  .key("ip", "header.X-Device")
                  .limit(Limit.perSecond(1))
                  .build(),
              Rule.named("b")
                  .except(Match.ALL.andAttribute("header.x-internal", "1"))
                  .cost(new Cost.FromAttribute("header.x-cost", 1, 10))
                  .limit(Limit.perSecond(1))
                  .build()));

  private final Identity identity = Identity.builder().build();

  @Test
  void makesACallOfARequest() {
    Call call = IdentityCalls.of(identity, FakeRequestHead.from("192.0.2.1"), RULES);

    assertThat(call.method()).isEqualTo("GET");
    assertThat(call.path()).isEqualTo("/a");
    assertThat(call.host()).isEqualTo("api.example.com");
    assertThat(call.attributes()).containsExactly(java.util.Map.entry("ip", "192.0.2.1"));
    assertThat(identity.address(FakeRequestHead.from("::ffff:1.2.3.4"))).isEqualTo("1.2.3.4");
  }

  @Test
  void readsOnlyTheHeadersThatRulesUse() {
    FakeRequestHead head =
        FakeRequestHead.from("192.0.2.1")
            .with("X-Region", "eu")
            .with("x-device", "d1")
            .with("x-device", "d2")
            .with("x-debug", "on")
            .with("x-internal", "1")
            .with("x-cost", "3")
            .with("x-other", "no")
            .with("user", "forged")
            .with("ip", "6.6.6.6");
    Call call = IdentityCalls.of(identity, head, RULES);

    assertThat(call.attributes())
        .containsOnly(
            java.util.Map.entry("ip", "192.0.2.1"),
            java.util.Map.entry("header.X-Region", "eu"),
            java.util.Map.entry("header.X-Device", "d1,d2"),
            java.util.Map.entry("header.x-debug", "on"),
            java.util.Map.entry("header.x-internal", "1"),
            java.util.Map.entry("header.x-cost", "3"));
  }

  @Test
  void passesTheBypassTokenOn() {
    FakeRequestHead one = FakeRequestHead.from("192.0.2.1").with("X-Weir-Bypass", "t");
    FakeRequestHead two =
        FakeRequestHead.from("192.0.2.1").with("X-Weir-Bypass", "t").with("X-Weir-Bypass", "t");

    assertThat(IdentityCalls.of(identity, one, RULES).attribute("bypass")).isEqualTo("t");
    assertThat(IdentityCalls.of(identity, two, RULES).attribute("bypass")).isNull();
  }

  @Test
  void ignoresMethodOverrideHeaders() {
    FakeRequestHead head =
        FakeRequestHead.from("192.0.2.1")
            .with("X-HTTP-Method-Override", "DELETE")
            .with("X-Method-Override", "DELETE");

    assertThat(IdentityCalls.of(identity, head, RULES).method()).isEqualTo("GET");
  }
}
