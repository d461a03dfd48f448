package io.weir.limit;

import io.weir.Quota;
import java.time.Instant;
import java.time.ZonedDateTime;

/** Calendar periods. Their boundaries are computed once per period, not per call. */
final class QuotaMeter extends CountMeter {
  private record PeriodSpan(long start, long end) {}

  private final Quota quota;
  private volatile PeriodSpan current = new PeriodSpan(0, 0);

  QuotaMeter(Quota limit) {
    super(limit);
    this.quota = limit;
  }

  @Override
  public boolean onWallClock() {
    return true;
  }

  @Override
  long endOf(long now, long keyHash) {
    return spanOf(now).end();
  }

  /**
   * Emits the starts of the previous period, this one, the next and the one after, as the store's
   * clock may differ slightly.
   */
  @Override
  public void numbers(Sink sink, long wallNow, long keyHash) {
    PeriodSpan now = spanOf(wallNow);
    PeriodSpan next = spanAt(now.end());
    sink.add(spanAt(now.start() - 1).start());
    sink.add(now.start());
    sink.add(now.end());
    sink.add(next.end());
    sink.add(capacity());
  }

  @Override
  boolean isLike(CountMeter other) {
    return other instanceof QuotaMeter meter && meter.quota.period() == quota.period();
  }

  @Override
  boolean sharesClock(CountMeter other) {
    return true;
  }

  @Override
  boolean inWindow(long end, long now) {
    return spanOf(now).end() == end;
  }

  private PeriodSpan spanOf(long now) {
    PeriodSpan span = current;
    if (now < span.start() || now >= span.end()) {
      span = spanAt(now);
      current = span;
    }
    return span;
  }

  private PeriodSpan spanAt(long now) {
    ZonedDateTime at =
        Instant.ofEpochSecond(Math.floorDiv(now, 1_000_000L), Math.floorMod(now, 1_000_000L) * 1000)
            .atZone(quota.zone());
    ZonedDateTime start = quota.period().start(at);
    return new PeriodSpan(micros(start), micros(quota.period().next(start)));
  }

  private static long micros(ZonedDateTime at) {
    return at.toEpochSecond() * 1_000_000;
  }
}
