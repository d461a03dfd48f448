package io.weir.near.fallback;

import static io.weir.near.NearStoreFixture.draw;
import static io.weir.near.NearStoreFixture.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.store.Draw;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class UnackedDebtsTest {
  private final Draw draw = draw(pool("rule", "10/s"), 1);
  private long now = 5;
  private final UnackedDebts unackedDebts =
      new UnackedDebts(look -> new CompletableFuture<>(), () -> now);

  private BucketId bucket(int number) {
    return BucketId.of(draw.pool(), Key.of("key " + number));
  }

  @Test
  void endedPausesMakeRoom() {
    for (int i = 0; i < UnackedDebts.MAX_ENTRIES; i++) {
      unackedDebts.begin(bucket(i));
    }
    unackedDebts.begin(bucket(-1));
    assertThat(unackedDebts.isPaused(bucket(-1), draw)).as("where there is no room").isFalse();

    now += UnackedDebts.PAUSE_MICROS;
    unackedDebts.begin(bucket(-2));

    assertThat(unackedDebts.isPaused(bucket(-2), draw)).isTrue();
    assertThat(unackedDebts.isPaused(bucket(0), draw)).isFalse();
  }
}
