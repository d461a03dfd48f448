package io.weir.near;

import static io.weir.near.NearStoreFixture.onFail;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Mode;
import io.weir.OnFail;
import io.weir.store.Draw;
import io.weir.store.Pool;
import org.junit.jupiter.api.Test;

/** Instances whose memory is full while the store is away. */
class FullMemoryTest {
  private final NearStoreFixture tier = new NearStoreFixture(2);
  private final ScriptedStore shared = tier.shared;
  private final Pool pool = onFail(OnFail.LOCAL, "10/h");

  private Draw draw(int user) {
    return new Draw(pool, Key.of("user " + user), 1, Mode.ENFORCE, Draw.Intent.TAKE);
  }

  /** The user's next draw; tells what it carried. */
  private long tell(int user) {
    tier.take(draw(user));
    ScriptedStore.StoreCall question = shared.next();
    question.admit(5);
    return question.lease().debt();
  }

  @Test
  void nobodyIsChargedWhatStrangersTookFromASharedBucket() {
    for (int user = 0; user < 50; user++) {
      tier.take(draw(user));
      shared.next().neverHear();
    }

    for (int user = 50; user < 2000; user++) {
      assertThat(tell(user)).isZero();
    }
  }

  @Test
  void whoeverHasABucketOfItsOwnPaysOnce() {
    for (int user = 0; user < 50; user++) {
      tier.take(draw(user));
      shared.next().neverHear();
    }

    assertThat(tell(0)).isEqualTo(1);
    assertThat(tell(0)).isZero();
  }
}
