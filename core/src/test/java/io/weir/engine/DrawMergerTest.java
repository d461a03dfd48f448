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

  private final DrawMerger basket = new DrawMerger();

  @Test
  void keepsDifferentBucketsApart() {
    assertThat(basket.add(new Draw(FIVE, KEY, 1, Mode.ENFORCE, Intent.TAKE))).isZero();
    assertThat(basket.add(new Draw(OTHER, KEY, 1, Mode.ENFORCE, Intent.TAKE))).isEqualTo(1);
    assertThat(basket.add(new Draw(FIVE, Key.of("l"), 1, Mode.ENFORCE, Intent.TAKE))).isEqualTo(2);
    assertThat(basket.draws()).hasSize(3);
  }

  @Test
  void addsUpDrawsOnOneBucketUnderTheTighterLimit() {
    basket.add(new Draw(FIVE, KEY, 1, Mode.SHADOW, Intent.TAKE));
    assertThat(basket.add(new Draw(THREE, Key.of("k"), 2, Mode.ENFORCE, Intent.TAKE))).isZero();
    basket.add(new Draw(FIVE, KEY, Long.MAX_VALUE, Mode.SHADOW, Intent.TAKE));
    assertThat(basket.draws())
        .containsExactly(new Draw(THREE, KEY, Long.MAX_VALUE, Mode.ENFORCE, Intent.TAKE));
  }

  @Test
  void aLookAddsNothing() {
    basket.add(new Draw(FIVE, KEY, 1, Mode.ENFORCE, Intent.LOOK));
    basket.add(new Draw(FIVE, KEY, 0, Mode.ENFORCE, Intent.LOOK));
    assertThat(basket.draws().get(0).amount()).isEqualTo(1);
    basket.add(new Draw(FIVE, KEY, 4, Mode.ENFORCE, Intent.TAKE_NOW));
    basket.add(new Draw(FIVE, KEY, 1, Mode.ENFORCE, Intent.LOOK));
    assertThat(basket.draws())
        .containsExactly(new Draw(FIVE, KEY, 4, Mode.ENFORCE, Intent.TAKE_NOW));
  }
}
