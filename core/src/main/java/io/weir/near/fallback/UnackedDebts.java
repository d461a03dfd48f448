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
 * Buckets whose debt was sent and not acknowledged. The store may still apply it, for example when
 * a hanging store resumes, and each further attempt would charge it once more. So the debt is not
 * sent for {@value #PAUSE_MICROS} µs; as the store may not know of it, the bucket is decided
 * locally meanwhile.
 *
 * <p>During the pause the store is probed with one look at a time, beside the decisions; so the
 * breaker of a hanging store opens as quickly as usual. Once a probe is answered, the debt sent
 * before it has either been applied or been lost, and the pause ends.
 */
public final class UnackedDebts {
  public static final long PAUSE_MICROS = 1_000_000;

  /** The debt is sent again after this time, even if no probe was answered. */
  private static final long MAX_PAUSE_MICROS = 10 * PAUSE_MICROS;

  /** Maximum number of paused buckets; further ones send their debt again at once. */
  static final int MAX_ENTRIES = 1 << 16;

  private final Function<Draw, CompletionStage<TakeResult>> store;
  private final LongSupplier micros;
  private final Map<BucketId, UnackedDebt> debts = new ConcurrentHashMap<>();
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
   * No pauses.
   *
   * @param store looks at a draw in the store; must not throw
   * @param micros the time in µs, from any origin
   */
  UnackedDebts(Function<Draw, CompletionStage<TakeResult>> store, LongSupplier micros) {
    this.store = store;
    this.micros = micros;
    this.nextSweep = micros.getAsLong();
  }

  /** Starts a pause: the bucket's debt was sent and not answered. */
  void begin(BucketId bucket) {
    long now = micros.getAsLong();
    if (debts.size() >= MAX_ENTRIES && now - nextSweep >= 0) {
      nextSweep = now + PAUSE_MICROS;
      debts.values().removeIf(debt -> debt.until <= now);
    }
    if (debts.size() < MAX_ENTRIES) {
      debts.put(bucket, new UnackedDebt(now));
    }
  }

  /**
   * Whether the bucket must be decided locally for now; if so, probes the store in the background.
   */
  boolean isPaused(BucketId bucket, Draw draw) {
    UnackedDebt debt = debts.get(bucket);
    if (debt == null) {
      return false;
    }
    if (debt.until <= micros.getAsLong()) {
      debts.remove(bucket, debt);
      return false;
    }
    if (debt.probing.compareAndSet(false, true)) {
      probe(bucket, debt, draw);
    }
    return true;
  }

  private void probe(BucketId bucket, UnackedDebt debt, Draw draw) {
    store
        .apply(draw.asLook())
        .thenAccept(
            result -> {
              if (DegradedCall.hasAnswer(result)) {
                debts.remove(bucket, debt);
              } else if (DebtCarrier.isSent(result, 0)) {
                debt.extend(micros.getAsLong());
              }
              debt.probing.set(false);
            });
  }
}
