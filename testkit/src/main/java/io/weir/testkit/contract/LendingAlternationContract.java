package io.weir.testkit.contract;

import static io.weir.testkit.contract.ContractCalls.draw;
import static io.weir.testkit.contract.ContractCalls.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.store.Draw;
import io.weir.store.LeaseGrant;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.TakeResult;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Instances that hold different numbers for one rule that lends never refund each other. */
interface LendingAlternationContract extends LendingPart {
  private static LeaseReport call(LeaseGrant held, long kept, long back, long asked) {
    return new LeaseReport(100, held, kept, back, asked, 0);
  }

  @Test
  default void leasesUnderTwoNumbersTakeNoMoreThanTheLargerLimitHas() {
    Pool larger = pool("100/min");
    Pool smaller = pool("100/min burst=10");
    long out = 0;
    for (int i = 0; i < 600; i++) {
      Draw draw = draw(i % 2 == 0 ? larger : smaller, 1);
      TakeResult result = calls().take(draw.withLease(call(LeaseGrant.NONE, 0, 0, i % 3)));
      out += (result.taken() ? 1 : 0) + result.grants().get(0).lent();
      harness().advance(Duration.ofMillis(100));
    }
    assertThat(out).isBetween(195L, 200L);
  }

  @Test
  default void aRefusedLeaseCallUnderOtherNumbersRefundsNothing() {
    Pool larger = pool("100/day");
    Pool smaller = pool("1/day");
    LeaseGrant held = report(larger, call(LeaseGrant.NONE, 0, 0, 40));
    calls().take(larger, 60);

    TakeResult refused = calls().take(draw(smaller, 1).withLease(call(held, 30, 0, 5)));

    assertThat(refused.taken()).isFalse();
    assertThat(refused.grants().get(0).kept()).isEqualTo(30);
    assertThat(calls().remaining(larger)).isZero();
    report(smaller, call(refused.grants().get(0), 0, 30, 0));
    assertThat(calls().remaining(larger)).isEqualTo(30);
  }
}
