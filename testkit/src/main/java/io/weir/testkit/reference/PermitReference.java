package io.weir.testkit.reference;

import io.weir.Concurrency;
import io.weir.Limit;
import io.weir.limit.Bounds;
import io.weir.limit.Meter;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;

/** Concurrency: permits by holder, each with a moment at which it dies unless renewed. */
final class PermitReference extends Reference {
  private Concurrency limit = Limit.concurrency(0);
  private long now;
  private Map<Long, Permit> held = new HashMap<>();

  private record Permit(long count, long deadline) {}

  @Override
  public void open(Limit limit, long now) {
    this.limit = (Concurrency) limit;
    this.now = now;
    long latest = now + Bounds.micros(this.limit.permitTtl());
    held.replaceAll((who, p) -> new Permit(p.count(), Math.min(p.deadline(), latest)));
    held.values().removeIf(permit -> permit.deadline() <= now);
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
      held.put(permit, new Permit(cost, now + Bounds.micros(limit.permitTtl())));
    }
  }

  @Override
  public boolean release(long permit) {
    return held.remove(permit) != null;
  }

  @Override
  public boolean renew(long permit) {
    long deadline = now + Bounds.micros(limit.permitTtl());
    return held.computeIfPresent(permit, (who, p) -> new Permit(p.count(), deadline)) != null;
  }

  /** Permits are held or not; no true cost is learned later. */
  @Override
  public void charge(long amount) {}

  @Override
  public void countDenied(long cost) {}

  @Override
  public void giveBack(long amount, Mark mark) {}

  @Override
  public Mark mark() {
    return new Mark(now, BigInteger.valueOf(count()));
  }

  @Override
  public long remaining() {
    return Math.max(0, limit.permits() - count());
  }

  @Override
  public long reset() {
    return held.values().stream().mapToLong(Permit::deadline).max().orElse(now) - now;
  }

  /** Nobody knows when a holder will be done. */
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
    copy.held = new HashMap<>(held);
    return copy;
  }

  @Override
  public String toString() {
    return held.toString();
  }
}
