package io.weir.tier;

import static io.weir.tier.TierFixture.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.store.Pool;
import org.junit.jupiter.api.Test;

class SharesTest {
  private final Pool pool = pool("rule", "100/s");
  private int instances = 1;
  private final Shares shares = new Shares(() -> instances);

  @Test
  void theLastOneIsThatOfTheLastDecision() {
    shares.now(pool, true);
    instances = 4;
    shares.now(pool, false);

    assertThat(shares.last(pool).among()).isEqualTo(1);
    assertThat(shares.now(pool, true).among()).isEqualTo(4);
    assertThat(shares.last(pool).among()).isEqualTo(4);
  }

  @Test
  void theLastOneOfAPoolThatWasNeverDecidedIsThatOfNow() {
    instances = 3;

    assertThat(shares.last(pool).among()).isEqualTo(3);
  }

  @Test
  void aPoolWithoutInstancesIsNotDivided() {
    instances = 0;

    assertThat(shares.now(pool, true).among()).isEqualTo(1);
    assertThat(shares.last(pool).among()).isEqualTo(1);
  }

  @Test
  void remembersWhatWasDecidedWhenRulesAreLoadedAnew() {
    shares.now(pool, true);
    instances = 4;
    shares.forget();

    assertThat(shares.last(pool("rule", "50/s")).among()).isEqualTo(1);
    assertThat(shares.last(pool("other", "50/s")).among()).isEqualTo(4);
  }

  @Test
  void poolsWithoutEndTakeNoMemoryWithoutEnd() {
    for (int i = 1; i < 3 * Shares.MOST_SHARES; i++) {
      shares.now(pool("rule", i + "/s"), true);
      assertThat(shares.size()).isLessThanOrEqualTo(Shares.MOST_SHARES);
    }
  }
}
