package io.weir.limit;

import io.weir.Concurrency;
import io.weir.ExactNumbers;

/**
 * How many at once: permits that are held until released, and that expire when their holder has
 * died.
 *
 * <p>Nobody can say when a permit will come back, so there is no retry-after; {@code reset} is the
 * time until the last permit expires if nobody renews it.
 */
public final class PermitMeter extends Meter {
  private final long ttl;

  PermitMeter(Concurrency limit) {
    super(limit);
    this.ttl = ExactNumbers.micros(limit.permitTtl());
  }

  @Override
  public void open(LimitState state, long now, long keyHash) {
    state.meter = this;
    state.time = now;
    Permits permits = permits(state);
    permits.expire(now, ttl);
    state.used = permits.held();
  }

  private static Permits permits(LimitState state) {
    Permits permits = state.permits;
    if (permits == null) {
      permits = new Permits();
      state.permits = permits;
    }
    return permits;
  }

  @Override
  public boolean admits(LimitState state, long now, long cost) {
    return cost == 0 ? capacity() > 0 : cost <= capacity() - permits(state).held();
  }

  @Override
  public void take(LimitState state, long now, long cost, long permit) {
    if (cost > 0) {
      permits(state).add(permit, cost, now, ttl);
      state.used = permits(state).held();
    }
  }

  /** Ends a permit; false if it is not held any more. */
  public boolean release(LimitState state, long permit) {
    boolean held = permits(state).remove(permit);
    state.used = permits(state).held();
    return held;
  }

  /** Gives a permit its full life again; false if it is not held any more. */
  public boolean renew(LimitState state, long now, long permit) {
    return permits(state).renew(permit, now, ttl);
  }

  /** A permit is one call, whatever the call turns out to cost. */
  @Override
  public void charge(LimitState state, long now, long amount) {}

  @Override
  public void countDenied(LimitState state, long now, long cost) {}

  /** Permits come back by {@link #release}. */
  @Override
  public void giveBack(LimitState state, long now, long amount, TakeReceipt receipt) {}

  @Override
  public long remaining(LimitState state, long now) {
    return Math.max(0, capacity() - permits(state).held());
  }

  @Override
  public long reset(LimitState state, long now) {
    return permits(state).size() == 0 ? 0 : permits(state).lastDeadline() - now;
  }

  @Override
  public long retryAfter(LimitState state, long now, long cost) {
    return NEVER;
  }

  @Override
  public long idleAt(LimitState state) {
    return permits(state).lastDeadline();
  }

  @Override
  public void numbers(Sink sink, long wallNow, long keyHash) {
    sink.add(ttl);
    sink.add(capacity());
  }

  @Override
  public String describe(LimitState state, long now, long cost) {
    return String.format(
        "%,d of %,d permits held by %,d calls; %,d + %,d ≤ %,d: %s",
        permits(state).held(),
        capacity(),
        permits(state).size(),
        permits(state).held(),
        cost,
        capacity(),
        admits(state, now, cost) ? "admits" : "refuses");
  }
}
