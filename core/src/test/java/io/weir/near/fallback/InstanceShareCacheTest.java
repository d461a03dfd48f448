package io.weir.near.fallback;

import static io.weir.near.NearStoreFixture.KEY;
import static io.weir.near.NearStoreFixture.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.store.Pool;
import org.junit.jupiter.api.Test;

class InstanceShareCacheTest {
  private static final Key OTHER = Key.of("somebody else");

  private final Pool pool = pool("rule", "100/s");
  private int instances = 1;
  private final InstanceShareCache shares = new InstanceShareCache(() -> instances);

  private void decide(Pool pool, Key key) {
    shares.recordDecidingShare(shares.current(pool), pool, key);
  }

  @Test
  void lastShareIsThatOfLastDecision() {
    decide(pool, KEY);
    instances = 4;

    assertThat(shares.last(pool, KEY).instances()).isEqualTo(1);
    decide(pool, KEY);
    assertThat(shares.last(pool, KEY).instances()).isEqualTo(4);
  }

  @Test
  void otherKeysKeepTheirShare() {
    decide(pool, KEY);
    instances = 4;
    decide(pool, OTHER);

    assertThat(shares.last(pool, KEY).instances()).isEqualTo(1);
    assertThat(shares.last(pool, OTHER).instances()).isEqualTo(4);
  }

  @Test
  void lastShareOfUndecidedBucketIsCurrentShare() {
    instances = 3;

    assertThat(shares.last(pool, KEY).instances()).isEqualTo(3);
  }

  @Test
  void zeroInstancesCountAsOne() {
    instances = 0;

    assertThat(shares.current(pool).instances()).isEqualTo(1);
    assertThat(shares.last(pool, KEY).instances()).isEqualTo(1);
  }

  @Test
  void ruleReloadKeepsLastShare() {
    decide(pool, KEY);
    instances = 4;
    shares.forget();

    assertThat(shares.last(pool("rule", "50/s"), KEY).instances()).isEqualTo(1);
    assertThat(shares.last(pool("other", "50/s"), KEY).instances()).isEqualTo(4);
  }

  @Test
  void cacheIsBounded() {
    for (int i = 1; i < 3 * InstanceShareCache.MAX_SHARES; i++) {
      decide(pool("rule", i + "/s"), KEY);
      assertThat(shares.size()).isLessThanOrEqualTo(InstanceShareCache.MAX_SHARES);
    }
  }
}
