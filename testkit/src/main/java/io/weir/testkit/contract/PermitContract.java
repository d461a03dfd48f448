package io.weir.testkit.contract;

import static io.weir.testkit.contract.ContractCalls.draw;
import static io.weir.testkit.contract.ContractCalls.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.LimitStatus;
import io.weir.store.Draw.Intent;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Contract of permits: held, released, renewed, and expired when their holder dies. */
interface PermitContract extends ContractPart {
  @Test
  default void holdsUntilReleased() {
    Pool pool = pool("concurrency 2");
    List<ReservedPart> first = calls().reserve(1, pool, 1);
    calls().reserve(2, pool, 1);
    LimitStatus refused = calls().take(draw(pool, 1, Intent.HOLD)).statuses().get(0);
    assertRefusedForEver(refused);
    assertThat(refused.remaining()).isZero();

    assertThat(calls().release(1, first)).isTrue();
    assertThat(calls().remaining(pool)).isEqualTo(1);
    assertThat(calls().reserve(3, pool, 1)).hasSize(1);
  }

  @Test
  default void releasesOnceAndOnlyItsOwn() {
    Pool pool = pool("concurrency 3");
    List<ReservedPart> first = calls().reserve(1, pool, 2);
    List<ReservedPart> second = calls().reserve(2, pool, 1);
    assertThat(calls().release(1, first)).isTrue();
    assertThat(calls().release(1, first)).isFalse();
    assertThat(calls().release(9, second)).isFalse();
    assertThat(calls().remaining(pool)).isEqualTo(2);
  }

  /** Ids are bytes to some stores; these look like other data they may store with a permit. */
  @Test
  default void releasesOnlyItsOwnWhateverTheIdLooksLike() {
    Pool pool = pool("concurrency 9");
    List<ReservedPart> parts = calls().reserve(1, pool, 1);
    calls().reserve(2, pool, 2);
    for (long id : new long[] {0, 256, Double.doubleToLongBits(1), Double.doubleToLongBits(3)}) {
      assertThat(calls().release(id, parts)).as("%x", id).isFalse();
      calls().reserve(id, pool, 3);
      assertThat(calls().remaining(pool)).as("%x", id).isEqualTo(3);
      assertThat(calls().renew(id, parts)).as("%x", id).isTrue();
      assertThat(calls().release(id, parts)).as("%x", id).isTrue();
      assertThat(calls().remaining(pool)).as("%x", id).isEqualTo(6);
    }
    assertThat(calls().release(1, parts)).isTrue();
    assertThat(calls().release(2, parts)).isTrue();
    assertThat(calls().remaining(pool)).isEqualTo(9);
  }

  @Test
  default void permitsOfDeadHoldersExpire() {
    Pool pool = pool("concurrency 2 permit_ttl=2s");
    List<ReservedPart> parts = calls().reserve(1, pool, 2);
    assertTime(calls().look(pool, 1).reset(), Duration.ofSeconds(2));
    harness().advance(Duration.ofSeconds(2).plus(harness().tolerance()));
    assertThat(calls().remaining(pool)).isEqualTo(2);
    assertThat(calls().renew(1, parts)).isFalse();
    assertThat(calls().release(1, parts)).isFalse();
  }

  @Test
  default void renewedPermitsLiveOn() {
    Pool pool = pool("concurrency 2 permit_ttl=2s");
    List<ReservedPart> renewed = calls().reserve(1, pool, 1);
    calls().reserve(2, pool, 1);
    harness().advance(Duration.ofMillis(1200));
    assertThat(calls().renew(1, renewed)).isTrue();
    harness().advance(Duration.ofMillis(1200));
    assertThat(calls().remaining(pool)).isEqualTo(1);
    assertThat(calls().release(1, renewed)).isTrue();
    assertThat(calls().remaining(pool)).isEqualTo(2);
  }

  @Test
  default void oneReservationHoldsPermitsInSeveralPools() {
    Pool user = pool("user", "concurrency 1");
    Pool tenant = pool("tenant", "concurrency 5");
    List<ReservedPart> parts =
        calls().reserve(1, List.of(draw(user, 1, Intent.HOLD), draw(tenant, 1, Intent.HOLD)));
    assertThat(calls().remaining(user)).isZero();
    assertThat(calls().remaining(tenant)).isEqualTo(4);
    assertThat(calls().release(1, parts)).isTrue();
    assertThat(calls().remaining(user)).isEqualTo(1);
    assertThat(calls().remaining(tenant)).isEqualTo(5);
  }

  @Test
  default void aRefusedReservationHoldsNothing() {
    Pool user = pool("user", "concurrency 1");
    Pool tenant = pool("tenant", "concurrency 5");
    calls().reserve(1, user, 1);
    var draws = List.of(draw(tenant, 1, Intent.HOLD), draw(user, 1, Intent.HOLD));
    assertThat(ContractCalls.get(harness().store().reserve(2, draws)).taken()).isFalse();
    assertThat(calls().remaining(tenant)).isEqualTo(5);
  }

  @Test
  default void settlingTheCostLeavesThePermitToItsHolder() {
    Pool permits = pool("permits", "concurrency 1");
    Pool rate = pool("rate", "4/h");
    List<ReservedPart> parts =
        calls().reserve(1, List.of(draw(permits, 1, Intent.HOLD), draw(rate, 1, Intent.HOLD)));
    assertThat(calls().settle(1, parts.subList(1, 2), 3)).isTrue();
    assertThat(calls().remaining(permits)).isZero();
    assertThat(calls().release(1, parts)).isTrue();
    assertThat(calls().remaining(permits)).isEqualTo(1);
    assertThat(calls().remaining(rate)).isEqualTo(1);
  }
}
