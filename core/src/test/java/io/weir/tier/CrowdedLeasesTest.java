package io.weir.tier;

import static io.weir.tier.TierFixture.lending;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Mode;
import io.weir.store.Draw;
import io.weir.store.LeaseCall;
import io.weir.store.MemoryStore;
import io.weir.store.Pool;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** More keys than there is room for leases. */
class CrowdedLeasesTest {
  private final VirtualTime time = new VirtualTime();
  private final ScriptedStore shared = new ScriptedStore();
  private final Pool pool = lending("2000/s");
  private final LocalShares shares =
      new LocalShares(MemoryStore.builder().time(time).build(), time, () -> 1);
  private final Leases leases =
      new Leases(2, new Denials(), time, new Fallback(shared, shares, problem -> {}));

  /** What the store is told of a lease in a call on a key. */
  private LeaseCall told(String key, long amount) {
    leases.take(List.of(new Draw(pool, Key.of(key), amount, Mode.ENFORCE, Draw.Intent.TAKE)));
    ScriptedStore.Question question = shared.next();
    question.admit(1000);
    return question.lease();
  }

  /** Whether a key that comes often is lent anything. */
  private boolean isLeased(String key) {
    told(key, 1);
    told(key, 1);
    time.advance(Duration.ofMillis(100));
    return !told(key, 100).equals(LeaseCall.NONE);
  }

  @Test
  void aKeyGetsThePlaceOfOneThatDidNotComeForASecond() {
    assertThat(isLeased("one")).isTrue();
    assertThat(isLeased("two")).isTrue();
    assertThat(isLeased("three")).isFalse();
    leases.tend();

    time.advance(Duration.ofSeconds(1));
    leases.tend();

    assertThat(isLeased("three")).isTrue();
  }
}
