package io.weir.engine;

import io.weir.Limit;
import io.weir.LimitKind;
import io.weir.rule.Cost;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.time.TimeSource;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the debt of a settlement: a limit is charged at most {@value #FACTOR} times the reserved
 * amount, or its capacity, whichever is larger. Otherwise a wrong cost could lock a key for years.
 */
final class SettlementCap {
  static final long FACTOR = 10;

  private static final Logger LOG = LoggerFactory.getLogger(SettlementCap.class);
  private static final long LINE_EVERY_MICROS = 60_000_000;

  private final TimeSource time;
  private final LongAdder clamped = new LongAdder();
  private final AtomicLong nextLine = new AtomicLong(Long.MIN_VALUE);

  SettlementCap(TimeSource time) {
    this.time = time;
  }

  /** How many parts of settlements were charged less than requested. */
  long clamped() {
    return clamped.sum();
  }

  /** The most that a part of a reservation may be charged. */
  static long of(Pool pool, long reserved) {
    Limit limit = pool.isSharded() ? pool.shardedPool().whole() : pool.meter().limit();
    return Math.max(Cost.times(FACTOR, reserved), limit.capacity());
  }

  /** Whether a settlement charges a pool at all: permits are released instead. */
  static boolean charges(Pool pool) {
    return pool.meter().limit().kind() != LimitKind.CONCURRENCY;
  }

  /** This part, charged at most the cap. */
  ReservedPart clamp(ReservedPart part) {
    long most = of(part.pool(), part.amount());
    if (part.actualAmount() <= most) {
      return part;
    }
    if (charges(part.pool())) {
      clamped.increment();
      log(part, most);
    }
    return new ReservedPart(part.pool(), part.key(), part.amount(), most, part.receipt());
  }

  private void log(ReservedPart part, long most) {
    long now = time.micros();
    long due = nextLine.get();
    if (now >= due && nextLine.compareAndSet(due, now + LINE_EVERY_MICROS)) {
      LOG.warn(
          "rule {}: a call that reserved {} was settled at {}; {} is charged, the most that a"
              + " settlement may be: {} times what was reserved, or the capacity of the limit",
          part.pool().rule(),
          part.amount(),
          part.actualAmount(),
          most,
          FACTOR);
    }
  }
}
