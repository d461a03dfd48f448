package io.weir.redis;

import io.weir.Algorithm;
import io.weir.Source;
import io.weir.Standing;
import io.weir.limit.Bounds;
import io.weir.limit.BucketMeter;
import io.weir.limit.Cell;
import io.weir.limit.Meter;
import io.weir.limit.Stamp;
import io.weir.store.Draw;
import io.weir.store.Grant;
import java.nio.ByteBuffer;

/**
 * What the script said about one draw: whether it admits, and the cell after the decision.
 *
 * @param grant how the lease stands that the draw told of
 */
record Answer(Verdict verdict, long now, long time, long used, long previous, Grant grant) {
  /** The bytes that one answer of {@link Script#TAKE} takes without a grant. */
  static final int BYTES = 1 + 3 * Double.BYTES;

  /** The bytes that one answer of the scripts for buckets takes: the deficit. */
  static final int BUCKET_BYTES = Double.BYTES;

  private static final int GRANT_BYTES = 5 * Double.BYTES;

  /** Added to the verdict where a grant follows the cell. */
  private static final int WITH_GRANT = 4;

  enum Verdict {
    REFUSED,
    ADMITTED,
    /** The calendar periods that were sent are not those of the store's clock. */
    UNDECIDED
  }

  private static final Verdict[] VERDICTS = Verdict.values();

  /** What a script said about a draw at this time of its clock. */
  static Answer read(Script script, ByteBuffer from, long now, Draw draw) {
    return script == Script.TAKE ? ofCell(from, now) : ofBucket(from, now, draw);
  }

  /** A bucket is brought to the present by every decision, so that its time need not be said. */
  private static Answer ofBucket(ByteBuffer from, long now, Draw draw) {
    BucketMeter meter = (BucketMeter) draw.pool().meter();
    long said = number(from);
    return said < 0
        ? new Answer(Verdict.REFUSED, now, meter.tickOf(now), -1 - said, 0, Grant.NONE)
        : new Answer(Verdict.ADMITTED, now, meter.tickOf(now), said, 0, Grant.NONE);
  }

  private static Answer ofCell(ByteBuffer from, long now) {
    int verdict = from.get();
    return new Answer(
        VERDICTS[verdict % WITH_GRANT],
        now,
        number(from),
        number(from),
        number(from),
        verdict < WITH_GRANT
            ? Grant.NONE
            : new Grant(number(from), number(from), number(from), number(from), number(from), now));
  }

  private static long number(ByteBuffer from) {
    return (long) from.getDouble();
  }

  /** Where so many answers end that begin at a place. */
  static int end(Script script, byte[] answers, int from, int count) {
    if (script != Script.TAKE) {
      return from + count * BUCKET_BYTES;
    }
    int at = from;
    for (int i = 0; i < count; i++) {
      at += answers[at] < WITH_GRANT ? BYTES : BYTES + GRANT_BYTES;
    }
    return at;
  }

  boolean admitted() {
    return verdict == Verdict.ADMITTED;
  }

  Stamp stamp(Draw draw) {
    boolean log = draw.pool().meter().limit().algorithm() == Algorithm.SLIDING_LOG;
    return new Stamp(log ? now : time, used).madeAt(now);
  }

  /** How the draw's limit stands; {@code taken} says whether the call passed. */
  Standing standing(Draw draw, boolean taken) {
    Meter meter = draw.pool().meter();
    Standing.Builder standing =
        new Standing.Builder(draw.pool().rule(), draw.pool().name(), meter.limit(), draw.mode())
            .allowed(admitted())
            .source(Source.STORE);
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

  private Standing ofLog(Draw draw, Meter meter, Standing.Builder standing) {
    boolean never = draw.amount() > meter.capacity() || meter.capacity() == 0;
    return standing
        .remaining(Math.max(0, meter.capacity() - used))
        .reset(used == 0 ? 0 : time + windowOf(meter) - now)
        .retryAfter(admitted() ? 0 : never ? Meter.NEVER : previous - now)
        .build();
  }

  private static long windowOf(Meter meter) {
    return Bounds.micros(meter.limit().window());
  }

  private Cell cell(Meter meter) {
    Cell cell = new Cell();
    cell.meter = meter;
    cell.time = time;
    cell.used = used;
    cell.previous = previous;
    return cell;
  }

  /** The answer as it stands once what was taken has been given back. */
  Answer givenBack(Draw draw) {
    Meter meter = draw.pool().meter();
    if (!admitted() || draw.amount() == 0 || draw.intent() == Draw.Intent.LOOK) {
      return this;
    }
    return switch (meter.limit().algorithm()) {
      case SLIDING_LOG -> new Answer(verdict, now, previous, used - draw.amount(), 0, grant);
      case CONCURRENCY ->
          draw.intent() == Draw.Intent.HOLD
              ? new Answer(verdict, now, previous, used - draw.amount(), 0, grant)
              : this;
      default -> {
        Cell cell = cell(meter);
        meter.refund(cell, now, draw.amount());
        yield new Answer(verdict, now, cell.time, cell.used, cell.previous, grant);
      }
    };
  }

  /** The decision as arithmetic that a person can follow. */
  String describe(Draw draw) {
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

  private Standing ofCell(Draw draw, Meter meter, Standing.Builder standing, boolean taken) {
    Cell cell = cell(meter);
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
