package io.weir.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.Pool;
import org.junit.jupiter.api.Test;

class DrawMergerTest {
  private static final Pool FIVE = new Pool("r", "r", "1", Limit.perSecond(5), false);
  private static final Pool THREE = new Pool("r", "r", "1", Limit.perSecond(3), false);
  private static final Pool OTHER = new Pool("r", "r", "2", Limit.perSecond(5), false);
  private static final Key KEY = Key.of("k");

  private final DrawMerger merger = new DrawMerger();

  @Test
  void keepsDifferentBucketsApart() {
    assertThat(merger.add(new Draw(FIVE, KEY, 1, Mode.ENFORCE, Intent.TAKE))).isZero();
    assertThat(merger.add(new Draw(OTHER, KEY, 1, Mode.ENFORCE, Intent.TAKE))).isEqualTo(1);
    assertThat(merger.add(new Draw(FIVE, Key.of("l"), 1, Mode.ENFORCE, Intent.TAKE))).isEqualTo(2);
    assertThat(merger.draws()).hasSize(3);
  }

  @Test
  void addsUpDrawsOnOneBucketUnderTheTighterLimit() {
    merger.add(new Draw(FIVE, KEY, 1, Mode.SHADOW, Intent.TAKE));
    assertThat(merger.add(new Draw(THREE, Key.of("k"), 2, Mode.ENFORCE, Intent.TAKE))).isZero();
    merger.add(new Draw(FIVE, KEY, Long.MAX_VALUE, Mode.SHADOW, Intent.TAKE));
    assertThat(merger.draws())
        .containsExactly(new Draw(THREE, KEY, Long.MAX_VALUE, Mode.ENFORCE, Intent.TAKE));
  }

  @Test
  void aLookAddsNothing() {
    merger.add(new Draw(FIVE, KEY, 1, Mode.ENFORCE, Intent.LOOK));
    merger.add(new Draw(FIVE, KEY, 0, Mode.ENFORCE, Intent.LOOK));
    assertThat(merger.draws().get(0).amount()).isEqualTo(1);
    merger.add(new Draw(FIVE, KEY, 4, Mode.ENFORCE, Intent.TAKE_NOW));
    merger.add(new Draw(FIVE, KEY, 1, Mode.ENFORCE, Intent.LOOK));
    assertThat(merger.draws())
        .containsExactly(new Draw(FIVE, KEY, 4, Mode.ENFORCE, Intent.TAKE_NOW));
  }
}
