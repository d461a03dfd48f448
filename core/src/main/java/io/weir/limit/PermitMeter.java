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
  public void open(LimitState cell, long now, long keyHash) {
    cell.meter = this;
    cell.time = now;
    Permits permits = permits(cell);
    permits.expire(now, ttl);
    cell.used = permits.held();
  }

  private static Permits permits(LimitState cell) {
    Permits permits = cell.permits;
    if (permits == null) {
      permits = new Permits();
      cell.permits = permits;
    }
    return permits;
  }

  @Override
  public boolean admits(LimitState cell, long now, long cost) {
    return cost == 0 ? capacity() > 0 : cost <= capacity() - permits(cell).held();
  }

  @Override
  public void take(LimitState cell, long now, long cost, long permit) {
    if (cost > 0) {
      permits(cell).add(permit, cost, now, ttl);
      cell.used = permits(cell).held();
    }
  }

  /** Ends a permit; false if it is not held any more. */
  public boolean release(LimitState cell, long permit) {
    boolean held = permits(cell).remove(permit);
    cell.used = permits(cell).held();
    return held;
  }

  /** Gives a permit its full life again; false if it is not held any more. */
  public boolean renew(LimitState cell, long now, long permit) {
    return permits(cell).renew(permit, now, ttl);
  }

  /** A permit is one call, whatever the call turns out to cost. */
  @Override
  public void charge(LimitState cell, long now, long amount) {}

  @Override
  public void countDenied(LimitState cell, long now, long cost) {}

  /** Permits come back by {@link #release}. */
  @Override
  public void giveBack(LimitState cell, long now, long amount, TakeReceipt stamp) {}

  @Override
  public long remaining(LimitState cell, long now) {
    return Math.max(0, capacity() - permits(cell).held());
  }

  @Override
  public long reset(LimitState cell, long now) {
    return permits(cell).size() == 0 ? 0 : permits(cell).lastDeadline() - now;
  }

  @Override
  public long retryAfter(LimitState cell, long now, long cost) {
    return NEVER;
  }

  @Override
  public long idleAt(LimitState cell) {
    return permits(cell).lastDeadline();
  }

  @Override
  public void numbers(Sink sink, long wallNow, long keyHash) {
    sink.add(ttl);
    sink.add(capacity());
  }

  @Override
  public String describe(LimitState cell, long now, long cost) {
    return String.format(
        "%,d of %,d permits held by %,d calls; %,d + %,d ≤ %,d: %s",
        permits(cell).held(),
        capacity(),
        permits(cell).size(),
        permits(cell).held(),
        cost,
        capacity(),
        admits(cell, now, cost) ? "admits" : "refuses");
  }
}
