package io.weir.testkit.lease;

import io.weir.Algorithm;
import io.weir.Mode;
import io.weir.Source;
import io.weir.Standing;
import io.weir.limit.Meter;
import io.weir.limit.Stamp;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.Grant;

/** One draw of a call at its ledger: heard, judged, taken or not, lent to or not. */
final class LedgerDraw {
  private final Draw draw;
  private final Ledger ledger;
  private final Meter meter;
  private final long now;
  private final long kept;
  private boolean admitted;
  private long delay;
  private Grant grant = Grant.NONE;
  private Standing standing;
  private Stamp stamp;

  LedgerDraw(Draw draw, Ledger ledger, long now) {
    this.draw = draw;
    this.ledger = ledger;
    this.meter = draw.pool().meter();
    this.now = now;
    ledger.open(draw.pool(), draw.key(), now);
    this.kept = ledger.hear(draw.lease(), now);
  }

  /** Decides for this bucket alone; true unless an enforced draw is refused. */
  boolean judge() {
    delay = meter.delay(ledger.cell);
    admitted = meter.admits(ledger.cell, now, draw.amount()) && !(delay > 0 && mustGoAtOnce());
    return admitted || draw.mode() != Mode.ENFORCE;
  }

  private boolean mustGoAtOnce() {
    return draw.intent() == Intent.TAKE_NOW && draw.amount() > 0;
  }

  /** Does what follows from the decision on the whole call. */
  void act(boolean taken, long reservation) {
    boolean changed = draw.lease().back() > 0 || draw.lease().owed() > 0;
    if (taken && admitted && takes()) {
      meter.take(ledger.cell, now, draw.amount(), reservation);
      changed |= draw.amount() > 0;
    } else if (!admitted && counts()) {
      meter.countDenied(ledger.cell, now, draw.amount());
      changed = true;
    }
    grant = ledger.lend(draw.lease(), kept, taken && admitted, now).at(now);
    standing = standingNow();
    stamp = Stamp.of(ledger.cell).madeAt(now);
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

  Grant grant() {
    return grant;
  }

  Stamp stamp() {
    return stamp;
  }

  Standing standing() {
    return standing;
  }

  private Standing standingNow() {
    return new Standing.Builder(draw.pool().rule(), draw.pool().name(), meter.limit(), draw.mode())
        .allowed(admitted)
        .remaining(meter.remaining(ledger.cell, now))
        .reset(meter.reset(ledger.cell, now))
        .retryAfter(admitted ? 0 : retryAfter())
        .delay(admitted ? delay : 0)
        .source(Source.STORE)
        .build();
  }

  private long retryAfter() {
    long retryAfter = meter.retryAfter(ledger.cell, now, draw.amount());
    return retryAfter != Meter.NEVER && mustGoAtOnce()
        ? Math.max(retryAfter, meter.delay(ledger.cell))
        : retryAfter;
  }
}
