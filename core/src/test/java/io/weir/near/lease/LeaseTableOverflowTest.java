package io.weir.near.lease;

import static io.weir.near.NearStoreFixture.lending;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Mode;
import io.weir.near.ScriptedStore;
import io.weir.near.deny.DenialTable;
import io.weir.near.fallback.FallbackStore;
import io.weir.near.fallback.LocalLimiter;
import io.weir.store.Draw;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.memory.MemoryStore;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** More keys than the lease table has room for. */
class LeaseTableOverflowTest {
  private final VirtualTime time = new VirtualTime();
  private final ScriptedStore shared = new ScriptedStore();
  private final Pool pool = lending("2000/s");
  private final LocalLimiter shares =
      new LocalLimiter(MemoryStore.builder().time(time).build(), time, () -> 1);
  private final LeaseStore leases =
      new LeaseStore(2, new DenialTable(), time, new FallbackStore(shared, shares, problem -> {}));

  /** The lease report of a call on a key. */
  private LeaseReport reportOf(String key, long amount) {
    leases.take(List.of(new Draw(pool, Key.of(key), amount, Mode.ENFORCE, Draw.Intent.TAKE)));
    ScriptedStore.StoreCall call = shared.next();
    call.admit(1000);
    return call.lease();
  }

  /** Whether a frequent key requests a lease. */
  private boolean isLeased(String key) {
    reportOf(key, 1);
    reportOf(key, 1);
    time.advance(Duration.ofMillis(100));
    return !reportOf(key, 100).equals(LeaseReport.NONE);
  }

  @Test
  void keyReplacesLeaseUnusedForOneSecond() {
    assertThat(isLeased("one")).isTrue();
    assertThat(isLeased("two")).isTrue();
    assertThat(isLeased("three")).isFalse();
    leases.maintain();

    time.advance(Duration.ofSeconds(1));
    leases.maintain();

    assertThat(isLeased("three")).isTrue();
  }
}
