package io.weir.limit;

import io.weir.SlidingLog;
import io.weir.base.ExactNumbers;
import io.weir.base.Micros;

/**
 * The arithmetic of sliding logs: every admitted call is logged, and the entries within {@code (now
 * − W, now]} count.
 *
 * <p>Calls in the same microsecond share an entry, and the log holds at most as many entries as the
 * limit admits, so its size is bounded by the limit and not by the traffic.
 */
final class LogMeter extends Meter {
  /** The most entries into which a debt is spread. */
  private static final int PARTS = 32;

  private final long window;

  LogMeter(SlidingLog limit) {
    super(limit);
    this.window = Micros.of(limit.window());
  }

  @Override
  public void open(LimitState state, long now, long keyHash) {
    state.meter = this;
    state.time = now;
    AdmissionLog log = log(state);
    log.open(now, window);
    state.used = log.total();
  }

  private static AdmissionLog log(LimitState state) {
    AdmissionLog log = state.log;
    if (log == null) {
      log = new AdmissionLog();
      state.log = log;
    }
    return log;
  }

  @Override
  public boolean admits(LimitState state, long now, long cost) {
    return cost == 0 ? capacity() > 0 : cost <= capacity() - log(state).total();
  }

  @Override
  public void take(LimitState state, long now, long cost, long permit) {
    charge(state, now, cost);
  }

  @Override
  public void charge(LimitState state, long now, long amount) {
    AdmissionLog log = log(state);
    long most = Math.min(amount, ExactNumbers.EXACT - 1 - log.total());
    if (most > 0 && state.frugal) {
      log.addToLast(now, most);
    } else if (most > 0) {
      log.add(now, most);
    }
    state.used = log.total();
  }

  /**
   * Spreads the debt evenly over the last window: all of it counts now, and less and less later.
   */
  @Override
  public void chargeDebt(LimitState state, long now, long amount) {
    long owed = Math.min(amount, remaining(state, now));
    if (state.frugal) {
      charge(state, now, owed);
      return;
    }
    AdmissionLog log = log(state);
    long parts = Math.min(owed, PARTS);
    for (long i = 1; i <= parts; i++) {
      log.insert(now - window + window * i / parts, owed * i / parts - owed * (i - 1) / parts);
    }
    state.used = log.total();
  }

  @Override
  public void countDenied(LimitState state, long now, long cost) {
    AdmissionLog log = log(state);
    long room = 2 * capacity() - log.total();
    if (room > 0) {
      charge(state, now, Math.min(cost, room));
    }
  }

  @Override
  public void giveBack(LimitState state, long now, long amount, TakeReceipt receipt) {
    AdmissionLog log = log(state);
    log.remove(receipt.time(), amount);
    state.used = log.total();
  }

  @Override
  public void refund(LimitState state, long now, long amount) {
    AdmissionLog log = log(state);
    log.removeLast(amount);
    state.used = log.total();
  }

  @Override
  public long remaining(LimitState state, long now) {
    return Math.max(0, capacity() - log(state).total());
  }

  @Override
  public long reset(LimitState state, long now) {
    AdmissionLog log = log(state);
    return log.size() == 0 ? 0 : log.time(log.size() - 1) + window - now;
  }

  @Override
  public long retryAfter(LimitState state, long now, long cost) {
    if (cost > capacity() || capacity() == 0) {
      return NEVER;
    }
    AdmissionLog log = log(state);
    long excess = log.total() + cost - capacity();
    for (int i = 0; excess > 0; i++) {
      excess -= log.amount(i);
      if (excess <= 0) {
        return log.time(i) + window - now;
      }
    }
    return 0;
  }

  @Override
  public long idleAt(LimitState state) {
    return log(state).idleAt();
  }

  @Override
  public void numbers(Sink sink, long wallNow, long keyHash) {
    sink.add(window);
    sink.add(capacity());
  }

  @Override
  public String describe(LimitState state, long now, long cost) {
    AdmissionLog log = log(state);
    return String.format(
        "%,d taken in %,d calls within the last %,d ms; %,d + %,d ≤ %,d: %s",
        log.total(),
        log.size(),
        window / 1000,
        log.total(),
        cost,
        capacity(),
        admits(state, now, cost) ? "admits" : "refuses");
  }
}
