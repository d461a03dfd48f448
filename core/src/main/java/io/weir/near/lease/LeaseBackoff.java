package io.weir.near.lease;

import io.weir.LimitStatus;
import io.weir.near.deny.RetryPacing;
import io.weir.store.LeaseGrant;
import io.weir.store.Pool;

/**
 * How long a bucket is left alone after what it said last: one that lent its last token until it
 * has gathered some, and one from which others have all that may be lent is not asked for a lease
 * for a while. Something that came back to it ends that.
 */
final class LeaseBackoff {
  /** How long to ask for no lease when nothing was lent. */
  static final long PAUSE = 50_000;

  private final long pace;
  private volatile long pausedUntil = Long.MIN_VALUE;
  private volatile long drainedUntil = Long.MIN_VALUE;
  private volatile long returnedAt = Long.MIN_VALUE;

  LeaseBackoff(Pool pool) {
    this.pace = RetryPacing.of(pool);
  }

  /** Whether the bucket may be asked for a lease. */
  boolean isOver(long now) {
    return now >= pausedUntil;
  }

  /** For how long the bucket is still known to be empty; 0 if it is not. */
  long drainedFor(long now) {
    long until = drainedUntil;
    return now >= until ? 0 : until - now;
  }

  /** Hears what a call brought. */
  void onAnswer(LeaseRequest call, LeaseGrant grant, LimitStatus standing) {
    if (grant.lent() >= call.report.requested()) {
      return;
    }
    if (standing.remaining() == 0) {
      drainedUntil = call.sent + RetryPacing.jittered(pace, call.sent);
      pausedUntil = drainedUntil;
    } else if (grant.lent() == 0) {
      pausedUntil = call.sent + PAUSE;
    }
    if (isOutdated(call)) { // asked last, so that whoever wakes it meanwhile is not missed
      end();
    }
  }

  /** Something came back to the bucket: whether it is empty, and lends, is to be asked again. */
  void onReturned(long now) {
    returnedAt = now;
    end();
  }

  private void end() {
    drainedUntil = Long.MIN_VALUE;
    pausedUntil = Long.MIN_VALUE;
  }

  /** Whether something came back after a call was sent, of which its answer may not know. */
  boolean isOutdated(LeaseRequest call) {
    return call.sent <= returnedAt;
  }
}
