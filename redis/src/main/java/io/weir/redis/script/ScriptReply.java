package io.weir.redis.script;

import io.weir.Algorithm;
import io.weir.DecisionSource;
import io.weir.LimitStatus;
import io.weir.base.Micros;
import io.weir.limit.BucketMeter;
import io.weir.limit.LimitState;
import io.weir.limit.Meter;
import io.weir.limit.TakeReceipt;
import io.weir.store.Draw;
import io.weir.store.LeaseGrant;
import java.nio.ByteBuffer;

/**
 * A script's reply to one draw: whether it is admitted, and the limit's state after the decision.
 *
 * @param grant the state of the lease that the draw reported
 */
public record ScriptReply(
    ReplyStatus status, long now, long time, long used, long previous, LeaseGrant grant) {
  /** Bytes of one reply of {@link Script#TAKE} without a grant. */
  public static final int BYTES = 1 + 3 * Double.BYTES;

  /** Bytes of one reply of the bucket scripts: the deficit. */
  public static final int BUCKET_BYTES = Double.BYTES;

  private static final int GRANT_BYTES = 5 * Double.BYTES;

  /** Added to the status if a grant follows the state. */
  private static final int WITH_GRANT = 4;

  public enum ReplyStatus {
    REFUSED,
    ADMITTED,
    /** The calendar periods that were sent do not match the store's clock. */
    UNDECIDED
  }

  private static final ReplyStatus[] STATUSES = ReplyStatus.values();

  /**
   * Reads the reply to a draw.
   *
   * @param now the time of the script's clock, in µs
   */
  public static ScriptReply read(Script script, ByteBuffer from, long now, Draw draw) {
    return script == Script.TAKE ? ofState(from, now) : ofBucket(from, now, draw);
  }

  /** Every decision brings a bucket up to date, so its time is not part of the reply. */
  private static ScriptReply ofBucket(ByteBuffer from, long now, Draw draw) {
    BucketMeter meter = (BucketMeter) draw.pool().meter();
    long value = number(from);
    return value < 0
        ? new ScriptReply(
            ReplyStatus.REFUSED, now, meter.tickOf(now), -1 - value, 0, LeaseGrant.NONE)
        : new ScriptReply(ReplyStatus.ADMITTED, now, meter.tickOf(now), value, 0, LeaseGrant.NONE);
  }

  private static ScriptReply ofState(ByteBuffer from, long now) {
    int status = from.get();
    return new ScriptReply(
        STATUSES[status % WITH_GRANT],
        now,
        number(from),
        number(from),
        number(from),
        status < WITH_GRANT
            ? LeaseGrant.NONE
            : new LeaseGrant(
                number(from), number(from), number(from), number(from), number(from), now));
  }

  private static long number(ByteBuffer from) {
    return (long) from.getDouble();
  }

  /** The end of {@code count} replies that begin at {@code from}. */
  public static int end(Script script, byte[] answers, int from, int count) {
    if (script != Script.TAKE) {
      return from + count * BUCKET_BYTES;
    }
    int at = from;
    for (int i = 0; i < count; i++) {
      at += answers[at] < WITH_GRANT ? BYTES : BYTES + GRANT_BYTES;
    }
    return at;
  }

  public boolean admitted() {
    return status == ReplyStatus.ADMITTED;
  }

  public TakeReceipt receipt(Draw draw) {
    boolean log = draw.pool().meter().limit().algorithm() == Algorithm.SLIDING_LOG;
    return new TakeReceipt(log ? now : time, used).madeAt(now);
  }

  /** The status of the draw's limit; {@code taken} is whether the call passed. */
  public LimitStatus limitStatus(Draw draw, boolean taken) {
    Meter meter = draw.pool().meter();
    LimitStatus.Builder limitStatus =
        draw.statusBuilder().allowed(admitted()).source(DecisionSource.STORE);
    return switch (meter.limit().algorithm()) {
      case SLIDING_LOG -> ofLog(draw, meter, limitStatus);
      case CONCURRENCY ->
          limitStatus
              .remaining(Math.max(0, meter.capacity() - used))
              .reset(used == 0 ? 0 : time - now)
              .retryAfter(admitted() ? 0 : Meter.NEVER)
              .build();
      default -> ofState(draw, meter, limitStatus, taken);
    };
  }

  private LimitStatus ofLog(Draw draw, Meter meter, LimitStatus.Builder limitStatus) {
    boolean never = draw.amount() > meter.capacity() || meter.capacity() == 0;
    return limitStatus
        .remaining(Math.max(0, meter.capacity() - used))
        .reset(used == 0 ? 0 : time + windowOf(meter) - now)
        .retryAfter(admitted() ? 0 : never ? Meter.NEVER : previous - now)
        .build();
  }

  private static long windowOf(Meter meter) {
    return Micros.of(meter.limit().window());
  }

  private LimitState state(Meter meter) {
    LimitState state = new LimitState();
    state.meter = meter;
    state.time = time;
    state.used = used;
    state.previous = previous;
    return state;
  }

  /** The reply after the taken tokens have been given back. */
  public ScriptReply givenBack(Draw draw) {
    Meter meter = draw.pool().meter();
    if (!admitted() || draw.amount() == 0 || draw.intent() == Draw.Intent.LOOK) {
      return this;
    }
    return switch (meter.limit().algorithm()) {
      case SLIDING_LOG -> new ScriptReply(status, now, previous, used - draw.amount(), 0, grant);
      case CONCURRENCY ->
          draw.intent() == Draw.Intent.HOLD
              ? new ScriptReply(status, now, previous, used - draw.amount(), 0, grant)
              : this;
      default -> {
        LimitState state = state(meter);
        meter.refund(state, now, draw.amount());
        yield new ScriptReply(status, now, state.time, state.used, state.previous, grant);
      }
    };
  }

  /** The decision as arithmetic for humans. */
  public String describe(Draw draw) {
    Meter meter = draw.pool().meter();
    return switch (meter.limit().algorithm()) {
      case SLIDING_LOG, CONCURRENCY ->
          String.format(
              "%,d of %,d in use; %,d + %,d ≤ %,d: %s",
              used,
              meter.capacity(),
              used,
              draw.amount(),
              meter.capacity(),
              admitted() ? "admits" : "refuses");
      default -> meter.describe(state(meter), now, draw.amount());
    };
  }

  private LimitStatus ofState(
      Draw draw, Meter meter, LimitStatus.Builder limitStatus, boolean taken) {
    LimitState state = state(meter);
    limitStatus.remaining(meter.remaining(state, now)).reset(meter.reset(state, now));
    if (!admitted()) {
      long retry = meter.retryAfter(state, now, draw.amount());
      boolean atOnce = draw.intent() == Draw.Intent.TAKE_NOW && retry != Meter.NEVER;
      return limitStatus.retryAfter(atOnce ? Math.max(retry, meter.delay(state)) : retry).build();
    }
    if (taken && draw.intent() != Draw.Intent.LOOK) {
      meter.refund(state, now, draw.amount());
    }
    return limitStatus.delay(meter.delay(state)).build();
  }
}
