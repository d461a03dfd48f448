package io.weir.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.near.ScriptedStore;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class HotKeySketchTest {
  private final VirtualTime time = new VirtualTime();
  private final HotKeySketch hotKeys = new HotKeySketch(time);
  private final Pool pool = new Pool("rule", "rule", "1", Limit.perSecond(10), false);

  private List<Draw> draws(String user) {
    return List.of(new Draw(pool, Key.of(user), 1, Mode.ENFORCE, Draw.Intent.TAKE));
  }

  @Test
  void findsTheHottestKeyAmongManyOthers() {
    List<Draw> hot = draws("hot");
    List<Draw> warm = draws("warm");
    for (int i = 0; i < 10_000; i++) {
      time.advance(Duration.ofNanos(900_000));
      hotKeys.count(draws("user-" + i));
      hotKeys.count(hot);
      if (i % 4 == 0) {
        hotKeys.count(warm);
      }
    }

    List<HotKeySketch.HotKey> top = hotKeys.top(2);

    assertThat(top)
        .extracting(HotKeySketch.HotKey::key)
        .containsExactly(Key.of("hot"), Key.of("warm"));
    // 10,000 sampled calls in 9 s, scaled up to all calls.
    double perSecond = 10_000 / 9.0 * HotKeySketch.SAMPLED;
    assertThat(top.get(0).perSecond()).isCloseTo(perSecond, Percentage.withPercentage(10));
    // Nearly one in 2.25 calls.
    assertThat(top.get(0).share()).isCloseTo(1 / 2.25, Percentage.withPercentage(5));
    assertThat(top.get(0).pool()).isSameAs(pool);
  }

  @Test
  void doesNotCountLooks() {
    Draw look = new Draw(pool, Key.of("looked-at"), 1, Mode.ENFORCE, Draw.Intent.LOOK);
    for (int i = 0; i < 100; i++) {
      hotKeys.count(List.of(look));
    }
    hotKeys.count(draws("taken-from"));
    time.advance(Duration.ofSeconds(1));

    assertThat(hotKeys.top(9))
        .extracting(HotKeySketch.HotKey::key)
        .containsOnly(Key.of("taken-from"));
  }

  private void answered(List<Draw> draws) {
    hotKeys.countAnswered(
        draws, draws.stream().map(draw -> ScriptedStore.status(draw, true, 1, 0)).toList());
  }

  @Test
  void unavailableStoreHasAnsweredNothing() {
    List<Draw> hot = draws("hot");
    for (int i = 0; i < 1000; i++) {
      hotKeys.count(hot);
      hotKeys.countAnswered(hot, hot.stream().map(Draw::unanswered).toList());
    }
    time.advance(Duration.ofSeconds(1));

    assertThat(hotKeys.top(1)).extracting(HotKeySketch.HotKey::storePerSecond).containsExactly(0.0);
  }

  @Test
  void countsTheCallsThatTheStoreAnswered() {
    List<Draw> refused = draws("refused from memory");
    List<Draw> asked = draws("asked");
    for (int i = 0; i < 1000; i++) {
      hotKeys.count(refused);
      hotKeys.count(asked);
      answered(asked);
      answered(draws("not counted"));
    }
    answered(refused);
    time.advance(Duration.ofSeconds(1));

    assertThat(hotKeys.top(9))
        .extracting(
            HotKeySketch.HotKey::key,
            HotKeySketch.HotKey::perSecond,
            HotKeySketch.HotKey::storePerSecond)
        .containsExactlyInAnyOrder(
            tuple(Key.of("refused from memory"), 32_000.0, 32.0),
            tuple(Key.of("asked"), 32_000.0, 32_000.0));
  }

  @Test
  void omitsKeysWhoseCountIsMostlyInherited() {
    for (int i = 0; i < 10_000; i++) {
      hotKeys.count(draws("user-" + i));
    }

    assertThat(hotKeys.top(10)).isEmpty();
  }

  @Test
  void dropsKeysThatAreNoLongerUsed() {
    for (int i = 0; i < 1000; i++) {
      hotKeys.count(draws("yesterday"));
    }
    time.advance(Duration.ofSeconds(10));
    hotKeys.count(draws("today"));
    assertThat(hotKeys.top(1))
        .extracting(HotKeySketch.HotKey::key)
        .containsExactly(Key.of("yesterday"));

    time.advance(Duration.ofSeconds(10));

    assertThat(hotKeys.top(10))
        .extracting(HotKeySketch.HotKey::key)
        .containsExactly(Key.of("today"));
    time.advance(Duration.ofMinutes(1));
    assertThat(hotKeys.top(10)).isEmpty();
  }

  @Test
  void samplesAPartOfAllCalls() {
    List<Draw> hot = draws("hot");
    for (int i = 0; i < 100_000; i++) {
      hotKeys.note(hot);
    }
    time.advance(Duration.ofSeconds(10));

    assertThat(hotKeys.top(1).get(0).perSecond()).isCloseTo(10_000, Percentage.withPercentage(15));
  }
}
