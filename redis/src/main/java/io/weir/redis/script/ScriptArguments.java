package io.weir.redis.script;

import io.weir.Algorithm;
import io.weir.Key;
import io.weir.Mode;
import io.weir.base.ExactNumbers;
import io.weir.base.KeyEncoding;
import io.weir.limit.Meter;
import io.weir.store.Draw;
import io.weir.store.LeaseGrant;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Encodes the packed argument of the scripts; the layout is at the head of each script. */
public final class ScriptArguments implements Meter.Sink {
  private static final int ENFORCE = 1;
  private static final int TAKE = 2;
  private static final int COUNT = 4;
  private static final int LEAKY = 8;
  private static final int AT_ONCE = 16;
  private static final int LOOK = 32;
  private static final int LEASE = 64;

  private ByteBuffer buffer = ByteBuffer.allocate(128).order(ByteOrder.LITTLE_ENDIAN);
  private final long wallNow;

  /** Arguments for this time of day, which determines the calendar periods that are sent along. */
  public ScriptArguments(long wallNow) {
    this.wallNow = wallNow;
  }

  /** The number of draws of a call, which occurs once in a batch. */
  public ScriptArguments count(int draws) {
    room(2 * Short.BYTES).putShort((short) 1).putShort((short) draws);
    return this;
  }

  /** One draw of a call. */
  public ScriptArguments draw(Draw draw, long reservation) {
    Algorithm algorithm = draw.pool().meter().limit().algorithm();
    int flags =
        (draw.mode() == Mode.ENFORCE ? ENFORCE : 0)
            | (takes(draw, algorithm) ? TAKE : 0)
            | (draw.pool().countDenied() && draw.intent() != Draw.Intent.LOOK ? COUNT : 0)
            | (algorithm == Algorithm.LEAKY_BUCKET ? LEAKY : 0)
            | (draw.intent() == Draw.Intent.TAKE_NOW ? AT_ONCE : 0)
            | (draw.intent() == Draw.Intent.LOOK ? LOOK : 0)
            | (hasLeaseReport(draw) ? LEASE : 0);
    limit(draw.pool(), draw.key(), flags, draw.amount(), reservation);
    if (hasLeaseReport(draw)) {
      lease(draw.lease());
    }
    return this;
  }

  private void lease(LeaseReport lease) {
    add(lease.cap());
    held(lease.held());
    add(lease.unused());
    add(lease.returned());
    add(lease.requested());
    add(lease.debt());
  }

  private void held(LeaseGrant held) {
    add(held.tokens());
    add(held.epoch());
    add(held.window());
  }

  /** The end of a lease. */
  public ScriptArguments endOf(LeaseReport lease, Pool pool) {
    octet(code(pool.meter().limit().algorithm()));
    held(lease.held());
    add(lease.returned());
    return this;
  }

  /** Whether a draw carries a lease report. */
  public static boolean hasLeaseReport(Draw draw) {
    return !draw.lease().equals(LeaseReport.NONE);
  }

  /** Whether the bucket scripts can decide a draw. */
  public static boolean isForBuckets(Draw draw) {
    return code(draw.pool().meter().limit().algorithm()) == 0 && !hasLeaseReport(draw);
  }

  private static boolean takes(Draw draw, Algorithm algorithm) {
    return switch (draw.intent()) {
      case HOLD -> true;
      case TAKE, TAKE_NOW -> algorithm != Algorithm.CONCURRENCY;
      case LOOK -> false;
    };
  }

  /** One part of a reservation, with the amount to give back (or to charge, if negative). */
  public ScriptArguments part(ReservedPart part, long reservation) {
    Algorithm algorithm = part.pool().meter().limit().algorithm();
    long back = part.amount() - part.actualAmount();
    limit(
        part.pool(),
        part.key(),
        algorithm == Algorithm.LEAKY_BUCKET ? LEAKY : 0,
        back,
        reservation);
    add(part.receipt().time());
    add(part.receipt().used());
    add(part.receipt().madeAt());
    return this;
  }

  private ScriptArguments limit(Pool pool, Key key, int flags, long amount, long reservation) {
    Meter meter = pool.meter();
    octet(code(meter.limit().algorithm()));
    octet(flags);
    add(Math.max(-ExactNumbers.EXACT, Math.min(amount, ExactNumbers.EXACT)));
    long hash = meter.hasPhase() ? KeyEncoding.hash(pool.rule(), key.parts()) : 0;
    meter.numbers(this, wallNow, hash);
    if (meter.limit().algorithm() == Algorithm.CONCURRENCY) {
      room(Long.BYTES).putLong(reservation);
    }
    return this;
  }

  private static int code(Algorithm algorithm) {
    return switch (algorithm) {
      case TOKEN_BUCKET, LEAKY_BUCKET -> 0;
      case FIXED_WINDOW -> 1;
      case SLIDING_WINDOW -> 2;
      case SLIDING_LOG -> 3;
      case QUOTA -> 4;
      case CONCURRENCY -> 5;
    };
  }

  @Override
  public void add(long number) {
    room(Double.BYTES).putDouble(number);
  }

  public ScriptArguments octet(int value) {
    room(1).put((byte) value);
    return this;
  }

  private ByteBuffer room(int bytes) {
    if (buffer.remaining() < bytes) {
      ByteBuffer larger =
          ByteBuffer.allocate(2 * buffer.capacity() + bytes).order(ByteOrder.LITTLE_ENDIAN);
      larger.put(buffer.flip());
      buffer = larger;
    }
    return buffer;
  }

  /** An argument preceded by the time; 0 for the clock of Redis. */
  public static byte[] timed(long micros, byte[] args) {
    return ByteBuffer.allocate(Double.BYTES + args.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putDouble(micros)
        .put(args)
        .array();
  }

  public byte[] bytes() {
    return Arrays.copyOf(buffer.array(), buffer.position());
  }
}
