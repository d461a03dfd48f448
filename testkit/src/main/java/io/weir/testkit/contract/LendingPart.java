package io.weir.testkit.contract;

import static io.weir.testkit.contract.ContractCalls.KEY;

import io.weir.Mode;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.LeaseGrant;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;

/** Reports on leases, as the contracts of lending send them. At most 100 tokens may be lent. */
interface LendingPart extends ContractPart {
  /** A request for a lease by an instance that has none. */
  default LeaseReport asking(long asked) {
    return keeping(LeaseGrant.NONE, 0, asked);
  }

  /** A report that so many tokens of a lease are left. */
  default LeaseReport keeping(LeaseGrant held, long kept, long asked) {
    return new LeaseReport(100, held, kept, 0, asked, 0);
  }

  /** A report that returns tokens of a lease. */
  default LeaseReport returning(LeaseGrant held, long back) {
    return new LeaseReport(100, held, 0, back, 0, 0);
  }

  /** A report of a debt. */
  default LeaseReport owing(long owed) {
    return LeaseReport.NONE.withDebt(owed);
  }

  /** Sends a lease report without taking anything. */
  default LeaseGrant report(Pool pool, LeaseReport lease) {
    Draw draw = new Draw(pool, KEY, 0, Mode.SHADOW, Intent.TAKE);
    return calls().take(draw.withLease(lease)).grants().get(0);
  }

  default void endLease(Pool pool, LeaseReport lease) {
    ContractCalls.get(harness().store().endLease(pool, KEY, lease));
  }
}
