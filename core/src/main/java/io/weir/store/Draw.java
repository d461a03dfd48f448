package io.weir.store;

import io.weir.Call;
import io.weir.Key;
import io.weir.LimitStatus;
import io.weir.Mode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One bucket and an amount to take from it.
 *
 * @param amount at least 0; 0 looks
 * @param mode {@code ENFORCE}, or {@code SHADOW}: never refuses, and is taken from only if the call
 *     passes and it admits
 * @param intent what to do if everything admits
 * @param unit what the amount is multiplied by when the call's true cost is settled
 * @param lease what there is to tell of leases; a store that does not lend may leave it unread
 * @param begun when the decision began that this is a further call of, in µs on the clock of the
 *     instance that never steps: all calls of a decision share one deadline; 0 in its first
 * @param call what a key without a bucket has to be asked for, see {@link NewKeyPolicy}; null if
 *     that was done, or is not needed
 */
public record Draw(
    Pool pool,
    Key key,
    long amount,
    Mode mode,
    Intent intent,
    long unit,
    LeaseReport lease,
    long startedMicros,
    @Nullable Call call) {
  /** A draw that a call makes. */
  public Draw(Pool pool, Key key, long amount, Mode mode, Intent intent, long unit, Call call) {
    this(pool, key, amount, mode, intent, unit, LeaseReport.NONE, 0, call);
  }

  /** A draw with nothing to tell of leases. */
  public Draw(Pool pool, Key key, long amount, Mode mode, Intent intent, long unit) {
    this(pool, key, amount, mode, intent, unit, LeaseReport.NONE, 0, null);
  }

  /** A draw that counts a call at its cost. */
  public Draw(Pool pool, Key key, long amount, Mode mode, Intent intent) {
    this(pool, key, amount, mode, intent, 1);
  }

  /** What a draw does to a bucket that admits it. */
  public enum Intent {
    /** Takes, unless the limit is of concurrency, which checks only look at. */
    TAKE,
    /** Takes only what can go at once: a leaky bucket with a backlog refuses. */
    TAKE_NOW,
    /** Takes, permits too. */
    HOLD,
    /** Looks and changes nothing. */
    LOOK
  }

  /** Whether this draw leaves its bucket as it is, whatever comes of the call. */
  public boolean isLook() {
    return intent == Intent.LOOK || amount == 0;
  }

  /** Whether all that can come of this draw is that its amount is taken or not. */
  public boolean isPlain() {
    return !isLook() && !pool.countDenied();
  }

  /** Whether one of these counts what it refuses, and so must be asked although another refuses. */
  public static boolean anyCountsRefusals(List<Draw> draws) {
    for (int i = 0; i < draws.size(); i++) {
      Draw draw = draws.get(i);
      if (draw.pool.countDenied() && draw.mode == Mode.ENFORCE && !draw.isLook()) {
        return true;
      }
    }
    return false;
  }

  /** What is known of how its limit stands before it is asked. */
  public LimitStatus.Builder statusBuilder() {
    return new LimitStatus.Builder(pool.rule(), pool.name(), pool.meter().limit(), mode);
  }

  /** How its limit stands as far as is known when nobody answers. */
  public LimitStatus unanswered() {
    return statusBuilder().unanswered().build();
  }

  /** The same draw, taking nothing and telling nothing. */
  public Draw asLook() {
    return new Draw(
        pool, key, amount, mode, Intent.LOOK, unit, LeaseReport.NONE, startedMicros, call);
  }

  /** The same draw from another pool, such as a shard of this one. */
  public Draw withPool(Pool other) {
    return new Draw(other, key, amount, mode, intent, unit, LeaseReport.NONE, startedMicros, call);
  }

  /** The same draw about another key, which needs not be asked for. */
  public Draw withKey(Key other) {
    return new Draw(pool, other, amount, mode, intent, unit, lease, startedMicros, null);
  }

  /** The same draw, whose key needs not be asked for. */
  public Draw withoutKeyCheck() {
    return call == null ? this : withKey(key);
  }

  /** The same draw, put right at so much for each part of the true cost. */
  public Draw withUnit(long unit) {
    return new Draw(pool, key, amount, mode, intent, unit, lease, startedMicros, call);
  }

  /** The same draw, with this to tell. */
  public Draw withLease(LeaseReport lease) {
    return new Draw(pool, key, amount, mode, intent, unit, lease, startedMicros, call);
  }

  /** The same draw, in a further call of a decision that began at this time. */
  public Draw retryOf(long begun) {
    return new Draw(pool, key, amount, mode, intent, unit, lease, begun, call);
  }

  /** When the decision began that these draws are a further call of; 0 if they are its first. */
  public static long startOf(List<Draw> draws) {
    for (int i = 0; i < draws.size(); i++) {
      if (draws.get(i).startedMicros != 0) {
        return draws.get(i).startedMicros;
      }
    }
    return 0;
  }
}
