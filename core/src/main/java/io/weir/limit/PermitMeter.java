package io.weir.limit;

import io.weir.Concurrency;
import io.weir.base.Micros;

/**
 * The arithmetic of concurrency limits: permits that are held until released, and that expire in
 * case their holder has died.
 *
 * <p>The time at which a permit is released cannot be known, so there is no retry-after. {@code
 * reset} is the time until the last permit expires if it is not renewed.
 */
public final class PermitMeter extends Meter {
  private final long ttl;

  PermitMeter(Concurrency limit) {
    super(limit);
    this.ttl = Micros.of(limit.permitTtl());
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

  /** Releases a permit; false if it is no longer held. */
  public boolean release(LimitState state, long permit) {
    boolean held = permits(state).remove(permit);
    state.used = permits(state).held();
    return held;
  }

  /** Restarts the lifetime of a permit; false if it is no longer held. */
  public boolean renew(LimitState state, long now, long permit) {
    return permits(state).renew(permit, now, ttl);
  }

  /** Does nothing: a call holds its permits whatever its true cost is. */
  @Override
  public void charge(LimitState state, long now, long amount) {}

  @Override
  public void countDenied(LimitState state, long now, long cost) {}

  /** Does nothing: permits are given back by {@link #release}. */
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
