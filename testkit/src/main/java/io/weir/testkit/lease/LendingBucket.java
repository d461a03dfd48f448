package io.weir.testkit.lease;

import io.weir.Algorithm;
import io.weir.Key;
import io.weir.base.KeyEncoding;
import io.weir.limit.LeaseLedger;
import io.weir.limit.LimitState;
import io.weir.limit.Meter;
import io.weir.limit.PermitMeter;
import io.weir.limit.TakeReceipt;
import io.weir.store.LeaseGrant;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;

/** One bucket of a {@link LendingStore}: its own state, and its outstanding leases. */
final class LendingBucket {
  final LimitState state = new LimitState();
  private final LimitState before = new LimitState();
  final LeaseLedger leases = new LeaseLedger();

  /** Brings state and leases to the present, under the pool's numbers. */
  void open(Pool pool, Key key, long now) {
    open(pool.meter(), KeyEncoding.hash(pool.rule(), key.parts()), now);
  }

  private void open(Meter meter, long hash, long now) {
    before.set(state);
    boolean windowOver = state.meter != null && hasWindows(meter) && now >= state.time;
    meter.open(state, now, hash);
    leases.open(now, windowOver);
  }

  static boolean hasWindows(Meter meter) {
    Algorithm algorithm = meter.limit().algorithm();
    return algorithm == Algorithm.FIXED_WINDOW
        || algorithm == Algorithm.SLIDING_WINDOW
        || algorithm == Algorithm.QUOTA;
  }

  /** Applies an instance's report; returns the amount that it may keep. */
  long apply(LeaseReport call, long now) {
    Meter meter = meter();
    boolean sameWindow = !hasWindows(meter) || call.held().window() == state.time;
    long kept =
        sameWindow
            ? leases.report(call.held().tokens(), call.held().epoch(), call.unused(), call.cap())
            : 0;
    if (call.returned() > 0) {
      meter.giveBack(state, now, call.returned(), new TakeReceipt(call.held().window(), 0));
    }
    if (call.debt() > 0) {
      meter.chargeDebt(state, now, call.debt());
    }
    return kept;
  }

  /** Lends the requested amount as far as possible; returns the state of the lease. */
  LeaseGrant lend(LeaseReport call, long kept, boolean passes, long now) {
    Meter meter = meter();
    long lent = 0;
    if (passes && call.requested() > 0) {
      lent = leases.lend(call.requested(), call.cap(), meter.remaining(state, now));
      meter.take(state, now, lent, 0);
    }
    boolean windows = hasWindows(meter);
    long life = windows ? Math.min(LeaseLedger.LIFE, state.time - now) : LeaseLedger.LIFE;
    return new LeaseGrant(kept, lent, leases.epoch, windows ? state.time : 0, life);
  }

  /** Ends a lease, under the numbers that the state was last stored with. */
  void endLease(Pool pool, Key key, long now, LeaseReport call) {
    if (state.meter != null) {
      open(state.meter, KeyEncoding.hash(pool.rule(), key.parts()), now);
      apply(new LeaseReport(0, call.held(), 0, call.returned(), 0, 0), now);
    }
  }

  /** Restores the bucket after a call that took nothing. */
  void leave(long now) {
    meter().leave(state, before, now);
  }

  /** Restores a bucket of rate 0, which stores nothing. */
  void leaveIfNothingIsWritten(long now) {
    if (!meter().writes()) {
      leave(now);
    }
  }

  void settle(ReservedPart part, long now) {
    if (part.actualAmount() < part.amount()) {
      meter().giveBack(state, now, part.amount() - part.actualAmount(), part.receipt());
    } else if (part.actualAmount() > part.amount()) {
      meter().charge(state, now, part.actualAmount() - part.amount());
    }
    leaveIfNothingIsWritten(now);
  }

  boolean release(long reservation) {
    return meter() instanceof PermitMeter permits && permits.release(state, reservation);
  }

  boolean renew(long reservation, long now) {
    return meter() instanceof PermitMeter permits && permits.renew(state, now, reservation);
  }

  private Meter meter() {
    Meter meter = state.meter;
    if (meter == null) {
      throw new IllegalStateException("a ledger is opened before it is used");
    }
    return meter;
  }

  /** An independent copy of the state. */
  LendingBucket copy() {
    LendingBucket copy = new LendingBucket();
    copy.state.set(state);
    copy.state.detach();
    copy.leases.epoch = leases.epoch;
    copy.leases.current = leases.current;
    copy.leases.previous = leases.previous;
    return copy;
  }
}
