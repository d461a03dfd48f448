package io.weir.near.lease;

import io.weir.LimitStatus;
import io.weir.near.deny.RetryPacing;
import io.weir.store.LeaseGrant;
import io.weir.store.Pool;

/**
 * Back-off for lease requests. After the bucket lent its last token, requests stop until it has
 * refilled enough to be worth one. When other instances hold all that may be leased, requests stop
 * for 50 ms. Tokens returned to the bucket end the back-off.
 */
final class LeaseBackoff {
  /** Back-off in µs after a request that was lent nothing. */
  static final long PAUSE = 50_000;

  private final long pace;
  private volatile long pausedUntil = Long.MIN_VALUE;
  private volatile long drainedUntil = Long.MIN_VALUE;
  private volatile long returnedAt = Long.MIN_VALUE;

  LeaseBackoff(Pool pool) {
    this.pace = RetryPacing.of(pool);
  }

  /** Whether a lease may be requested. */
  boolean isOver(long now) {
    return now >= pausedUntil;
  }

  /** Time in µs for which the bucket is still known to be empty; 0 if it is not. */
  long drainedFor(long now) {
    long until = drainedUntil;
    return now >= until ? 0 : until - now;
  }

  /** Starts a back-off if the store lent less than requested. */
  void onAnswer(LeaseRequest call, LeaseGrant grant, LimitStatus status) {
    if (grant.lent() >= call.report.requested()) {
      return;
    }
    if (status.remaining() == 0) {
      drainedUntil = call.sent + RetryPacing.jittered(pace, call.sent);
      pausedUntil = drainedUntil;
    } else if (grant.lent() == 0) {
      pausedUntil = call.sent + PAUSE;
    }
    if (isOutdated(call)) { // checked last, so that a concurrent return is not missed
      end();
    }
  }

  /** Tokens were returned to the bucket: ends the back-off. */
  void onReturned(long now) {
    returnedAt = now;
    end();
  }

  private void end() {
    drainedUntil = Long.MIN_VALUE;
    pausedUntil = Long.MIN_VALUE;
  }

  /** Whether tokens were returned after a request was sent; its answer may not include them. */
  boolean isOutdated(LeaseRequest call) {
    return call.sent <= returnedAt;
  }
}
