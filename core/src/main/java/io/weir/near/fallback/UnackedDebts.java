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
  public static final long PAUSE_MICROS = 1_000_000;

  /** However long looks are not answered, the debt is tried again after so long. */
  private static final long MAX_PAUSE_MICROS = 10 * PAUSE_MICROS;

  /** Buckets that may pause at a time; more carry their debt again at once. */
  static final int MOST = 1 << 16;

  private final Function<Draw, CompletionStage<TakeResult>> store;
  private final LongSupplier micros;
  private final Map<BucketId, UnackedDebt> pauses = new ConcurrentHashMap<>();
  private volatile long nextSweep;

  private static final class UnackedDebt {
    private final AtomicBoolean probing = new AtomicBoolean();
    private final long started;
    private volatile long until;

    private UnackedDebt(long now) {
      this.started = now;
      this.until = now + PAUSE_MICROS;
    }

    private void extend(long now) {
      until = Math.min(now + PAUSE_MICROS, started + MAX_PAUSE_MICROS);
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
    if (pauses.size() >= MOST && now - nextSweep >= 0) {
      nextSweep = now + PAUSE_MICROS;
      pauses.values().removeIf(pause -> pause.until <= now);
    }
    if (pauses.size() < MOST) {
      pauses.put(bucket, new UnackedDebt(now));
    }
  }

  /** Whether the bucket is to be decided here for now; if so, has the store looked at beside it. */
  boolean isPaused(BucketId bucket, Draw draw) {
    UnackedDebt pause = pauses.get(bucket);
    if (pause == null) {
      return false;
    }
    if (pause.until <= micros.getAsLong()) {
      pauses.remove(bucket, pause);
      return false;
    }
    if (pause.probing.compareAndSet(false, true)) {
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
                pauses.remove(bucket, pause);
              } else if (DebtCarrier.isSent(taking, 0)) {
                pause.extend(micros.getAsLong());
              }
              pause.probing.set(false);
            });
  }
}
