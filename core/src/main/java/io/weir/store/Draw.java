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
 * @param amount at least 0; 0 only looks
 * @param mode {@code ENFORCE}, or {@code SHADOW} or {@code MARK}: never refuses, and is taken only
 *     if the call passes and this limit admits
 * @param intent what to do if all limits admit
 * @param unit the factor for the call's true cost when it is settled
 * @param lease the lease report; a store that does not lend may ignore it
 * @param startedMicros start of the decision (µs, monotonic clock) if this is a follow-up request;
 *     0 for the first. All requests of one decision share one deadline
 * @param call the call to check against the {@link NewKeyPolicy} if the key has no bucket; null if
 *     that was done or is not needed
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
  /** A draw of a call, whose key is checked against the {@link NewKeyPolicy}. */
  public Draw(Pool pool, Key key, long amount, Mode mode, Intent intent, long unit, Call call) {
    this(pool, key, amount, mode, intent, unit, LeaseReport.NONE, 0, call);
  }

  /** A draw without a lease report. */
  public Draw(Pool pool, Key key, long amount, Mode mode, Intent intent, long unit) {
    this(pool, key, amount, mode, intent, unit, LeaseReport.NONE, 0, null);
  }

  /** A draw whose amount is the cost of the call (unit 1). */
  public Draw(Pool pool, Key key, long amount, Mode mode, Intent intent) {
    this(pool, key, amount, mode, intent, 1);
  }

  /** The effect of a draw on a bucket that admits it. */
  public enum Intent {
    /** Takes, except from concurrency limits, which a check only looks at. */
    TAKE,
    /** Takes only if no delay is needed: a leaky bucket with a backlog refuses. */
    TAKE_NOW,
    /** Takes, including permits of concurrency limits. */
    HOLD,
    /** Looks and changes nothing. */
    LOOK
  }

  /** Whether this draw never changes its bucket. */
  public boolean isLook() {
    return intent == Intent.LOOK || amount == 0;
  }

  /** Whether the draw either takes its amount or changes nothing. */
  public boolean isPlain() {
    return !isLook() && !pool.countDenied();
  }

  /**
   * Whether one of the draws counts its refusals, and so must be decided even if another refuses.
   */
  public static boolean anyCountsRefusals(List<Draw> draws) {
    for (int i = 0; i < draws.size(); i++) {
      Draw draw = draws.get(i);
      if (draw.pool.countDenied() && draw.mode == Mode.ENFORCE && !draw.isLook()) {
        return true;
      }
    }
    return false;
  }

  /** A status with the fields that are known before the decision. */
  public LimitStatus.Builder statusBuilder() {
    return new LimitStatus.Builder(pool.rule(), pool.name(), pool.meter().limit(), mode)
        .hidden(pool.isHidden());
  }

  /** The status when the store gives no answer. */
  public LimitStatus unanswered() {
    return statusBuilder().unanswered().build();
  }

  /** The same draw as a look, without a lease report. */
  public Draw asLook() {
    return new Draw(
        pool, key, amount, mode, Intent.LOOK, unit, LeaseReport.NONE, startedMicros, call);
  }

  /** The same draw from another pool, such as a shard of this one. */
  public Draw withPool(Pool other) {
    return new Draw(other, key, amount, mode, intent, unit, LeaseReport.NONE, startedMicros, call);
  }

  /** The same draw on another key, without the new-key check. */
  public Draw withKey(Key other) {
    return new Draw(pool, other, amount, mode, intent, unit, lease, startedMicros, null);
  }

  /** The same draw without the new-key check. */
  public Draw withoutKeyCheck() {
    return call == null ? this : withKey(key);
  }

  /** The same draw, settled at this amount per unit of the true cost. */
  public Draw withUnit(long unit) {
    return new Draw(pool, key, amount, mode, intent, unit, lease, startedMicros, call);
  }

  /** The same draw with this lease report. */
  public Draw withLease(LeaseReport lease) {
    return new Draw(pool, key, amount, mode, intent, unit, lease, startedMicros, call);
  }

  /** The same draw as a follow-up request of a decision that began at this time. */
  public Draw retryOf(long startedMicros) {
    return new Draw(pool, key, amount, mode, intent, unit, lease, startedMicros, call);
  }

  /** Start of the decision if these draws are a follow-up request; 0 if they are its first. */
  public static long startOf(List<Draw> draws) {
    for (int i = 0; i < draws.size(); i++) {
      if (draws.get(i).startedMicros != 0) {
        return draws.get(i).startedMicros;
      }
    }
    return 0;
  }
}
