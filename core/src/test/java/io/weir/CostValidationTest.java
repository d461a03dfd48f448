package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.engine.Engine;
import io.weir.rule.Bypass;
import io.weir.rule.Cost;
import io.weir.rule.Match;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.memory.MemoryStore;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Invalid costs are rejected before anything is taken. */
class CostValidationTest extends WeirFixture {
  private static final Rule SPEND =
      Rule.named("spend")
          .match(Match.path("/spend"))
          .limit(Limit.perHour(10))
          .cost(new Cost.FromAttribute("tokens", 1, 100))
          .build();
  private static final Call BAD = get("/spend").with("tokens", "no");

  @Test
  void rejectsCostsThatADecisionWouldReject() {
    Engine engine = engine(SPEND);

    assertThatThrownBy(() -> engine.requireCosts(BAD))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("tokens must be a whole number");
    assertThatCode(() -> engine.requireCosts(get("/spend").with("tokens", "3")))
        .doesNotThrowAnyException();
    assertThatCode(() -> engine.requireCosts(get("/else").with("tokens", "no")))
        .doesNotThrowAnyException();
    assertThat(now(engine.lookAsync(get("/spend"))).remaining()).isEqualTo(10);
  }

  @Test
  void sendsNoRequestToTheStore() {
    FakeSharedStore store = new FakeSharedStore(MemoryStore.create());
    Engine engine = Engine.builder().rules(RuleSet.of(SPEND)).store(store).build();

    engine.requireCosts(get("/spend").with("ip", "192.0.2.1"));

    assertThat(store.asked).isEmpty();
  }

  @Test
  void bypassTokenPassesWithoutBeingUsed() throws Exception {
    byte[] hash =
        MessageDigest.getInstance("SHA-256").digest("let-me-in".getBytes(StandardCharsets.UTF_8));
    Bypass bypass =
        new Bypass(
            "smoke",
            HexFormat.of().formatHex(hash),
            Limit.perHour(1),
            Instant.parse("2026-01-02T00:00:00Z"));
    Engine engine = engine(RuleSet.builder().bypass(bypass).rule(SPEND).build());
    Call call = BAD.with("bypass", "let-me-in");

    engine.requireCosts(call);
    engine.requireCosts(call);

    assertThat(engine.check(call).reason()).isEqualTo(Reason.BYPASSED);
    assertThatThrownBy(() -> engine.requireCosts(call))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
