package io.weir.testkit.reference;

import io.weir.Limit;
import io.weir.SlidingLog;
import io.weir.base.Micros;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The sliding log: everything taken in (now − W, now], by the time of the take. */
final class LogReference extends Reference {
  private SlidingLog limit = Limit.slidingLog(0, Duration.ofSeconds(1));
  private long now;
  private TreeMap<Long, Long> taken = new TreeMap<>();
  private long keeps;
  private long keepsUntil = Long.MAX_VALUE;

  @Override
  public void open(Limit limit, long now) {
    this.limit = (SlidingLog) limit;
    this.now = now;
    laterThanNowCountsAsNow();
    keepForALongerWindow();
    taken.headMap(now - keeps, true).clear();
  }

  /**
   * Some instances may still use the longer window that was in force before, for up to a minute.
   */
  private void keepForALongerWindow() {
    if (!taken.isEmpty() && keeps > window()) {
      keepsUntil = Math.min(keepsUntil, now + 60_000_000);
    }
    if (taken.isEmpty() || keeps <= window() || now >= keepsUntil) {
      keeps = window();
      keepsUntil = Long.MAX_VALUE;
    }
  }

  private long window() {
    return Micros.of(limit.window());
  }

  /** Entries inside the window in force. */
  private NavigableMap<Long, Long> counted() {
    return taken.tailMap(now - window(), false);
  }

  private void laterThanNowCountsAsNow() {
    Map<Long, Long> later = taken.tailMap(now, false);
    long sum = later.values().stream().mapToLong(Long::longValue).sum();
    later.clear();
    add(sum);
  }

  private void add(long amount) {
    if (amount > 0) {
      taken.merge(now, amount, Long::sum);
    }
  }

  private long held() {
    return counted().values().stream().mapToLong(Long::longValue).sum();
  }

  @Override
  boolean fits(long cost) {
    return held() + cost <= limit.count();
  }

  @Override
  public void take(long cost, long permit) {
    add(cost);
  }

  @Override
  public void charge(long amount) {
    add(Math.min(amount, MAX_EXACT - held()));
  }

  @Override
  public void countDenied(long cost) {
    add(Math.min(cost, 2 * limit.count() - held()));
  }

  @Override
  public void giveBack(long amount, ReferenceReceipt receipt) {
    counted().computeIfPresent(receipt.time(), (at, of) -> of > amount ? of - amount : null);
  }

  /** Newest entries first, each up to its amount. */
  @Override
  public void refund(long amount) {
    long left = amount;
    while (left > 0 && !counted().isEmpty()) {
      long newest = taken.lastKey();
      long of = taken.remove(newest);
      if (of > left) {
        taken.put(newest, of - left);
      }
      left -= Math.min(of, left);
    }
  }

  @Override
  public ReferenceReceipt receipt() {
    return new ReferenceReceipt(now, BigInteger.valueOf(held()));
  }

  @Override
  public long remaining() {
    return Math.max(0, limit.count() - held());
  }

  @Override
  public long reset() {
    return counted().isEmpty() ? 0 : untilForgotten(taken.lastKey());
  }

  @Override
  long timeUntilFits(long cost) {
    long left = held();
    for (Map.Entry<Long, Long> entry : counted().entrySet()) {
      left -= entry.getValue();
      if (left + cost <= limit.count()) {
        return untilForgotten(entry.getKey());
      }
    }
    throw new IllegalStateException("fits now");
  }

  private long untilForgotten(long at) {
    return at + window() - now;
  }

  @Override
  Limit limit() {
    return limit;
  }

  @Override
  public LogReference copy() {
    LogReference copy = new LogReference();
    copy.limit = limit;
    copy.now = now;
    copy.keeps = keeps;
    copy.keepsUntil = keepsUntil;
    copy.taken = new TreeMap<>(taken);
    return copy;
  }

  @Override
  public String toString() {
    return taken.toString();
  }
}
