package io.weir.near;

import static io.weir.near.NearStoreFixture.onFail;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Mode;
import io.weir.OnFail;
import io.weir.store.Draw;
import io.weir.store.Pool;
import org.junit.jupiter.api.Test;

/** Debts of an instance whose memory is full while the store is unavailable. */
class FullMemoryTest {
  private final NearStoreFixture fixture = new NearStoreFixture(2);
  private final ScriptedStore shared = fixture.shared;
  private final Pool pool = onFail(OnFail.LOCAL, "10/h");

  private Draw draw(int user) {
    return new Draw(pool, Key.of("user " + user), 1, Mode.ENFORCE, Draw.Intent.TAKE);
  }

  /** Makes the user's next draw and returns the debt that it carried. */
  private long takeAndReturnDebt(int user) {
    fixture.take(draw(user));
    ScriptedStore.StoreCall call = shared.next();
    call.admit(5);
    return call.lease().debt();
  }

  @Test
  void keysInOverflowBucketsOweNothing() {
    for (int user = 0; user < 50; user++) {
      fixture.take(draw(user));
      shared.next().rejectUnsent();
    }

    for (int user = 50; user < 2000; user++) {
      assertThat(takeAndReturnDebt(user)).isZero();
    }
  }

  @Test
  void keyWithOwnBucketPaysItsDebtOnce() {
    for (int user = 0; user < 50; user++) {
      fixture.take(draw(user));
      shared.next().rejectUnsent();
    }

    assertThat(takeAndReturnDebt(0)).isEqualTo(1);
    assertThat(takeAndReturnDebt(0)).isZero();
  }
}
