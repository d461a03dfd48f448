package io.weir.control.feed;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.adjust.KeyControls;
import io.weir.adjust.RejectedControl;
import io.weir.control.store.Adjustment;
import io.weir.control.store.Block;
import io.weir.control.store.KeyOverride;
import io.weir.control.store.KeyRef;
import io.weir.control.store.KillSwitch;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TrafficTableTest {
  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
  private static final Instant END = NOW.plusSeconds(60);
  private static final KeyRef KEY = KeyRef.of(List.of("42"));

  private static long micros(Instant moment) {
    return moment.getEpochSecond() * 1_000_000 + moment.getNano() / 1000;
  }

  private static KeyOverride override(long id, String rule, Adjustment adjustment, Instant starts) {
    return new KeyOverride(
        id, rule, KEY, adjustment, "", "", NOW, starts, END, Optional.empty(), true, id);
  }

  private static Block block(long id, Optional<String> rule, Block.Effect effect, Block.Kind kind) {
    return new Block(id, rule, KEY, effect, kind, END, "", "", "", NOW, true, id);
  }

  private static TrafficTable table(
      List<KeyOverride> overrides, List<Block> blocks, List<KillSwitch> kills) {
    return TrafficTable.of(overrides, blocks, kills, Duration.ZERO);
  }

  @Test
  void readsEachKindOfOverride() {
    TrafficTable table =
        table(
            List.of(
                override(1, "a", new Adjustment.Limit("rate", "500/min"), NOW),
                override(2, "b", new Adjustment.Factor(0.3333333), NOW),
                override(3, "c", new Adjustment.Unlimited(), NOW)),
            List.of(),
            List.of());

    KeyControls key = table.controls().find(Key.of("42"));
    assertThat(table.rejected()).isEmpty();
    assertThat(key).isNotNull();
    assertThat(effect(key, "a")).isEqualTo("rate 500/min");
    assertThat(effect(key, "b")).isEqualTo("factor 0.3333");
    assertThat(effect(key, "c")).isEqualTo("unlimited");
  }

  private static String effect(KeyControls key, String rule) {
    return key.override(rule, micros(NOW)).orElseThrow().effect().toString();
  }

  @Test
  void setsAsideWhatItCannotRead() {
    TrafficTable table =
        table(
            List.of(
                override(1, "a", new Adjustment.Limit("", "five a minute"), NOW),
                override(2, "a", new Adjustment.Factor(5000), NOW),
                override(3, "a", new Adjustment.Unlimited(), NOW)),
            List.of(),
            List.of());

    assertThat(table.rejected()).extracting(RejectedControl::id).containsExactly(1L, 2L);
    assertThat(table.controls().overrides()).hasSize(1);
  }

  @Test
  void readsBlocksAndSignals() {
    TrafficTable table =
        table(
            List.of(),
            List.of(
                block(1, Optional.of("a"), Block.Effect.REFUSE, Block.Kind.OPERATOR),
                block(2, Optional.empty(), Block.Effect.TENTH, Block.Kind.SIGNAL)),
            List.of());

    KeyControls key = table.controls().find(Key.of("42"));
    assertThat(key.blockedUntil("a", micros(NOW))).isEqualTo(micros(END));
    assertThat(key.blockedUntil("b", micros(NOW))).isEqualTo(KeyControls.NOT_BLOCKED);
    assertThat(key.signal("b", micros(NOW)).orElseThrow().severity().number()).isEqualTo(2);
  }

  @Test
  void readsKillSwitches() {
    TrafficTable table =
        table(List.of(), List.of(), List.of(new KillSwitch("tenant/acme", END, "", "", NOW)));

    assertThat(table.controls().isKilled("a", "acme", micros(END) - 1)).isTrue();
    assertThat(table.controls().isKilled("a", "acme", micros(END))).isFalse();
    assertThat(table.controls().isKilled("a", null, micros(NOW))).isFalse();
  }

  /** A row is in force at once, but one that starts later starts on the database's clock. */
  @Test
  void addsTheOffsetOfTheInstancesClock() {
    TrafficTable table =
        TrafficTable.of(
            List.of(
                override(1, "now", new Adjustment.Unlimited(), NOW),
                override(2, "later", new Adjustment.Unlimited(), NOW.plusSeconds(30))),
            List.of(),
            List.of(),
            Duration.ofSeconds(-10));

    KeyControls key = table.controls().find(Key.of("42"));
    assertThat(key.override("now", micros(NOW.minusSeconds(10)))).isPresent();
    assertThat(key.override("now", micros(END.minusSeconds(10)))).isEmpty();
    assertThat(key.override("later", micros(NOW.plusSeconds(19)))).isEmpty();
    assertThat(key.override("later", micros(NOW.plusSeconds(20)))).isPresent();
  }
}
