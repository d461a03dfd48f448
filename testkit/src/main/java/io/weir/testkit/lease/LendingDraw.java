package io.weir.testkit.lease;

import io.weir.Algorithm;
import io.weir.DecisionSource;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.limit.Meter;
import io.weir.limit.TakeReceipt;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.LeaseGrant;

/**
 * One draw of a call on its bucket: the lease report is applied, then the draw is decided, taken or
 * not, and lent to or not.
 */
final class LendingDraw {
  private final Draw draw;
  private final LendingBucket ledger;
  private final Meter meter;
  private final long now;
  private final long kept;
  private boolean admitted;
  private long delay;
  private LeaseGrant grant = LeaseGrant.NONE;
  private LimitStatus status;
  private TakeReceipt receipt;

  LendingDraw(Draw draw, LendingBucket ledger, long now) {
    this.draw = draw;
    this.ledger = ledger;
    this.meter = draw.pool().meter();
    this.now = now;
    ledger.open(draw.pool(), draw.key(), now);
    this.kept = ledger.apply(draw.lease(), now);
  }

  /** Decides for this bucket alone; true unless an enforced draw is refused. */
  boolean judge() {
    delay = meter.delay(ledger.state);
    admitted = meter.admits(ledger.state, now, draw.amount()) && !(delay > 0 && mustGoAtOnce());
    return admitted || draw.mode() != Mode.ENFORCE;
  }

  private boolean mustGoAtOnce() {
    return draw.intent() == Intent.TAKE_NOW && draw.amount() > 0;
  }

  /** Applies the decision on the whole call. */
  void act(boolean taken, long reservation) {
    boolean changed = draw.lease().returned() > 0 || draw.lease().debt() > 0;
    if (taken && admitted && takes()) {
      meter.take(ledger.state, now, draw.amount(), reservation);
      changed |= draw.amount() > 0;
    } else if (!admitted && counts()) {
      meter.countDenied(ledger.state, now, draw.amount());
      changed = true;
    }
    grant = ledger.lend(draw.lease(), kept, taken && admitted, now).at(now);
    status = currentStatus();
    receipt = TakeReceipt.of(ledger.state).madeAt(now);
    if (!meter.writes() || (!changed && grant.lent() == 0)) {
      ledger.leave(now);
    }
  }

  private boolean takes() {
    return switch (draw.intent()) {
      case HOLD -> true;
      case TAKE, TAKE_NOW -> meter.limit().algorithm() != Algorithm.CONCURRENCY;
      case LOOK -> false;
    };
  }

  private boolean counts() {
    return draw.pool().countDenied() && draw.mode() == Mode.ENFORCE && draw.intent() != Intent.LOOK;
  }

  LeaseGrant grant() {
    return grant;
  }

  TakeReceipt receipt() {
    return receipt;
  }

  LimitStatus status() {
    return status;
  }

  private LimitStatus currentStatus() {
    return draw.statusBuilder()
        .allowed(admitted)
        .remaining(meter.remaining(ledger.state, now))
        .reset(meter.reset(ledger.state, now))
        .retryAfter(admitted ? 0 : retryAfter())
        .delay(admitted ? delay : 0)
        .source(DecisionSource.STORE)
        .build();
  }

  private long retryAfter() {
    long retryAfter = meter.retryAfter(ledger.state, now, draw.amount());
    return retryAfter != Meter.NEVER && mustGoAtOnce()
        ? Math.max(retryAfter, meter.delay(ledger.state))
        : retryAfter;
  }
}
