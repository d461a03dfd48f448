package io.weir.near.fallback;

import io.weir.store.Draw;
import io.weir.store.TakeResult;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Buckets whose debt was sent and not answered. It may be heard all the same, when a store that
 * hung goes on, and each further try would charge it once more. So nobody carries it for {@value
 * #MICROS} µs; and as the store may not know of it, the bucket is decided here for so long.
 *
 * <p>Meanwhile the store is asked how the bucket stands, beside the decisions and one look at a
 * time: so the way to a store that hangs is shut as soon as ever. Once it answers a look, what was
 * sent before has been heard or is lost, and the pause is over.
 */
public final class UnackedDebts {
  public static final long MICROS = 1_000_000;

  /** However long looks are not answered, the debt is tried again after so long. */
  private static final long LONGEST = 10 * MICROS;

  /** Buckets that may pause at a time; more carry their debt again at once. */
  static final int MOST = 1 << 16;

  private final Function<Draw, CompletionStage<TakeResult>> store;
  private final LongSupplier micros;
  private final Map<BucketId, UnackedDebt> paused = new ConcurrentHashMap<>();
  private volatile long nextSweep;

  private static final class UnackedDebt {
    private final AtomicBoolean looking = new AtomicBoolean();
    private final long begun;
    private volatile long until;

    private UnackedDebt(long now) {
      this.begun = now;
      this.until = now + MICROS;
    }

    private void goOn(long now) {
      until = Math.min(now + MICROS, begun + LONGEST);
    }
  }

  /**
   * No pauses yet.
   *
   * @param store where draws are looked at; must not throw
   * @param micros the time, from wherever
   */
  UnackedDebts(Function<Draw, CompletionStage<TakeResult>> store, LongSupplier micros) {
    this.store = store;
    this.micros = micros;
    this.nextSweep = micros.getAsLong();
  }

  /** What the bucket owes was sent, and not answered. */
  void begin(BucketId bucket) {
    long now = micros.getAsLong();
    if (paused.size() >= MOST && now - nextSweep >= 0) {
      nextSweep = now + MICROS;
      paused.values().removeIf(pause -> pause.until <= now);
    }
    if (paused.size() < MOST) {
      paused.put(bucket, new UnackedDebt(now));
    }
  }

  /** Whether the bucket is to be decided here for now; if so, has the store looked at beside it. */
  boolean holds(BucketId bucket, Draw draw) {
    UnackedDebt pause = paused.get(bucket);
    if (pause == null) {
      return false;
    }
    if (pause.until <= micros.getAsLong()) {
      paused.remove(bucket, pause);
      return false;
    }
    if (pause.looking.compareAndSet(false, true)) {
      probe(bucket, pause, draw);
    }
    return true;
  }

  private void probe(BucketId bucket, UnackedDebt pause, Draw draw) {
    store
        .apply(draw.asLook())
        .thenAccept(
            taking -> {
              if (DegradedCall.hasAnswer(taking)) {
                paused.remove(bucket, pause);
              } else if (DebtCarrier.isSent(taking, 0)) {
                pause.goOn(micros.getAsLong());
              }
              pause.looking.set(false);
            });
  }
}
