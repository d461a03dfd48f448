package io.weir.testkit.reference;

import io.weir.Concurrency;
import io.weir.Limit;
import io.weir.base.Micros;
import io.weir.limit.Meter;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;

/** Concurrency: permits by holder, each with a time at which it expires unless renewed. */
final class PermitReference extends Reference {
  private Concurrency limit = Limit.concurrency(0);
  private long now;
  private Map<Long, Permit> held = new HashMap<>();

  /** The longest ttl of any permit since the key was last without permits, in µs. */
  private long longest;

  private record Permit(long count, long deadline) {}

  @Override
  public void open(Limit limit, long now) {
    this.limit = (Concurrency) limit;
    this.now = now;
    long latest = now + Math.max(ttl(), longest);
    held.replaceAll((holder, p) -> new Permit(p.count(), Math.min(p.deadline(), latest)));
    held.values().removeIf(permit -> permit.deadline() <= now);
    longest = held.isEmpty() ? 0 : longest;
  }

  private long ttl() {
    return Micros.of(limit.permitTtl());
  }

  private long count() {
    return held.values().stream().mapToLong(Permit::count).sum();
  }

  @Override
  boolean fits(long cost) {
    return count() + cost <= limit.permits();
  }

  @Override
  public void take(long cost, long permit) {
    if (cost > 0) {
      held.put(permit, new Permit(cost, now + ttl()));
      longest = Math.max(longest, ttl());
    }
  }

  @Override
  public boolean release(long permit) {
    return held.remove(permit) != null;
  }

  @Override
  public boolean renew(long permit) {
    if (!held.containsKey(permit)) {
      return false;
    }
    longest = Math.max(longest, ttl());
    held.computeIfPresent(permit, (holder, p) -> new Permit(p.count(), now + ttl()));
    return true;
  }

  /** Permits are held or not; there is no actual cost to settle later. */
  @Override
  public void charge(long amount) {}

  @Override
  public void countDenied(long cost) {}

  @Override
  public void giveBack(long amount, ReferenceReceipt receipt) {}

  @Override
  public ReferenceReceipt receipt() {
    return new ReferenceReceipt(now, BigInteger.valueOf(count()));
  }

  @Override
  public long remaining() {
    return Math.max(0, limit.permits() - count());
  }

  @Override
  public long reset() {
    return held.values().stream().mapToLong(Permit::deadline).max().orElse(now) - now;
  }

  /** The time at which a holder releases its permit is unknown. */
  @Override
  long timeUntilFits(long cost) {
    return Meter.NEVER;
  }

  @Override
  Limit limit() {
    return limit;
  }

  @Override
  public PermitReference copy() {
    PermitReference copy = new PermitReference();
    copy.limit = limit;
    copy.now = now;
    copy.longest = longest;
    copy.held = new HashMap<>(held);
    return copy;
  }

  @Override
  public String toString() {
    return held.toString();
  }
}
