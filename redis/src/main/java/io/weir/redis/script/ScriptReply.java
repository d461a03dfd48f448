package io.weir.redis.script;

import io.weir.Algorithm;
import io.weir.DecisionSource;
import io.weir.ExactNumbers;
import io.weir.LimitStatus;
import io.weir.limit.BucketMeter;
import io.weir.limit.LimitState;
import io.weir.limit.Meter;
import io.weir.limit.TakeReceipt;
import io.weir.store.Draw;
import io.weir.store.LeaseGrant;
import java.nio.ByteBuffer;

/**
 * What the script said about one draw: whether it admits, and the cell after the decision.
 *
 * @param grant how the lease stands that the draw told of
 */
public record ScriptReply(
    ReplyStatus verdict, long now, long time, long used, long previous, LeaseGrant grant) {
  /** The bytes that one answer of {@link Script#TAKE} takes without a grant. */
  public static final int BYTES = 1 + 3 * Double.BYTES;

  /** The bytes that one answer of the scripts for buckets takes: the deficit. */
  public static final int BUCKET_BYTES = Double.BYTES;

  private static final int GRANT_BYTES = 5 * Double.BYTES;

  /** Added to the verdict where a grant follows the cell. */
  private static final int WITH_GRANT = 4;

  public enum ReplyStatus {
    REFUSED,
    ADMITTED,
    /** The calendar periods that were sent are not those of the store's clock. */
    UNDECIDED
  }

  private static final ReplyStatus[] VERDICTS = ReplyStatus.values();

  /** What a script said about a draw at this time of its clock. */
  public static ScriptReply read(Script script, ByteBuffer from, long now, Draw draw) {
    return script == Script.TAKE ? ofCell(from, now) : ofBucket(from, now, draw);
  }

  /** A bucket is brought to the present by every decision, so that its time need not be said. */
  private static ScriptReply ofBucket(ByteBuffer from, long now, Draw draw) {
    BucketMeter meter = (BucketMeter) draw.pool().meter();
    long said = number(from);
    return said < 0
        ? new ScriptReply(
            ReplyStatus.REFUSED, now, meter.tickOf(now), -1 - said, 0, LeaseGrant.NONE)
        : new ScriptReply(ReplyStatus.ADMITTED, now, meter.tickOf(now), said, 0, LeaseGrant.NONE);
  }

  private static ScriptReply ofCell(ByteBuffer from, long now) {
    int verdict = from.get();
    return new ScriptReply(
        VERDICTS[verdict % WITH_GRANT],
        now,
        number(from),
        number(from),
        number(from),
        verdict < WITH_GRANT
            ? LeaseGrant.NONE
            : new LeaseGrant(
                number(from), number(from), number(from), number(from), number(from), now));
  }

  private static long number(ByteBuffer from) {
    return (long) from.getDouble();
  }

  /** Where so many answers end that begin at a place. */
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
    return verdict == ReplyStatus.ADMITTED;
  }

  public TakeReceipt stamp(Draw draw) {
    boolean log = draw.pool().meter().limit().algorithm() == Algorithm.SLIDING_LOG;
    return new TakeReceipt(log ? now : time, used).madeAt(now);
  }

  /** How the draw's limit stands; {@code taken} says whether the call passed. */
  public LimitStatus standing(Draw draw, boolean taken) {
    Meter meter = draw.pool().meter();
    LimitStatus.Builder standing =
        new LimitStatus.Builder(draw.pool().rule(), draw.pool().name(), meter.limit(), draw.mode())
            .allowed(admitted())
            .source(DecisionSource.STORE);
    return switch (meter.limit().algorithm()) {
      case SLIDING_LOG -> ofLog(draw, meter, standing);
      case CONCURRENCY ->
          standing
              .remaining(Math.max(0, meter.capacity() - used))
              .reset(used == 0 ? 0 : time - now)
              .retryAfter(admitted() ? 0 : Meter.NEVER)
              .build();
      default -> ofCell(draw, meter, standing, taken);
    };
  }

  private LimitStatus ofLog(Draw draw, Meter meter, LimitStatus.Builder standing) {
    boolean never = draw.amount() > meter.capacity() || meter.capacity() == 0;
    return standing
        .remaining(Math.max(0, meter.capacity() - used))
        .reset(used == 0 ? 0 : time + windowOf(meter) - now)
        .retryAfter(admitted() ? 0 : never ? Meter.NEVER : previous - now)
        .build();
  }

  private static long windowOf(Meter meter) {
    return ExactNumbers.micros(meter.limit().window());
  }

  private LimitState cell(Meter meter) {
    LimitState cell = new LimitState();
    cell.meter = meter;
    cell.time = time;
    cell.used = used;
    cell.previous = previous;
    return cell;
  }

  /** The answer as it stands once what was taken has been given back. */
  public ScriptReply givenBack(Draw draw) {
    Meter meter = draw.pool().meter();
    if (!admitted() || draw.amount() == 0 || draw.intent() == Draw.Intent.LOOK) {
      return this;
    }
    return switch (meter.limit().algorithm()) {
      case SLIDING_LOG -> new ScriptReply(verdict, now, previous, used - draw.amount(), 0, grant);
      case CONCURRENCY ->
          draw.intent() == Draw.Intent.HOLD
              ? new ScriptReply(verdict, now, previous, used - draw.amount(), 0, grant)
              : this;
      default -> {
        LimitState cell = cell(meter);
        meter.refund(cell, now, draw.amount());
        yield new ScriptReply(verdict, now, cell.time, cell.used, cell.previous, grant);
      }
    };
  }

  /** The decision as arithmetic that a person can follow. */
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
      default -> meter.describe(cell(meter), now, draw.amount());
    };
  }

  private LimitStatus ofCell(Draw draw, Meter meter, LimitStatus.Builder standing, boolean taken) {
    LimitState cell = cell(meter);
    standing.remaining(meter.remaining(cell, now)).reset(meter.reset(cell, now));
    if (!admitted()) {
      long retry = meter.retryAfter(cell, now, draw.amount());
      boolean atOnce = draw.intent() == Draw.Intent.TAKE_NOW && retry != Meter.NEVER;
      return standing.retryAfter(atOnce ? Math.max(retry, meter.delay(cell)) : retry).build();
    }
    if (taken && draw.intent() != Draw.Intent.LOOK) {
      meter.refund(cell, now, draw.amount());
    }
    return standing.delay(meter.delay(cell)).build();
  }
}
