package io.weir.testkit.lease;

import io.weir.Key;
import io.weir.SettlementResult;
import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.SettlementTerms;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import io.weir.testkit.RemoteStore;
import io.weir.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * One instance's link to the shared store with its faults: latency, messages lost in either
 * direction, late responses, and a cut.
 */
public final class SimulatedLink extends RemoteStore {
  private static final Duration DEADLINE = Duration.ofMillis(10);

  private final TimeSource time;
  private final SplittableRandom random;
  private final Conditions conditions;
  private boolean cut;
  private boolean hangs;
  private long calls;

  /**
   * Conditions on the link.
   *
   * @param meanMicros mean latency of one direction in µs
   * @param lost share of messages that are lost, from 0 to 1
   */
  public record Conditions(long meanMicros, double lost) {
    public static final Conditions FINE = new Conditions(250, 0);
  }

  /** Observes what the store takes, at the moment it does. */
  public interface StoreObserver {
    void took(List<Draw> draws, TakeResult result);

    /** A call returned what it had taken, because it was refused elsewhere. */
    default void gotBack(List<ReservedPart> parts) {}
  }

  public SimulatedLink(
      Store store, TimeSource time, long seed, Conditions conditions, StoreObserver observer) {
    super(new ObservedStore(store, observer));
    this.time = time;
    this.random = new SplittableRandom(seed);
    this.conditions = conditions;
  }

  /** Cuts the link for good: the instance has crashed, or is partitioned. */
  public void cut() {
    cut = true;
  }

  /** From now on no message is answered, or all are again. */
  public void hang(boolean hang) {
    hangs = hang;
  }

  /** Number of messages sent so far. */
  public long calls() {
    return calls;
  }

  /** Notifies the observer at the store, before the response can be lost. */
  private static final class ObservedStore extends ForwardingStore {
    private final StoreObserver observer;

    ObservedStore(Store store, StoreObserver observer) {
      super(store);
      this.observer = observer;
    }

    @Override
    public CompletionStage<TakeResult> take(List<Draw> draws) {
      return super.take(draws).thenApply(result -> notifyTaken(draws, result));
    }

    @Override
    public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
      return super.reserve(reservation, draws).thenApply(result -> notifyTaken(draws, result));
    }

    @Override
    public CompletionStage<SettlementResult> settle(
        long reservation, List<ReservedPart> parts, SettlementTerms terms) {
      return super.settle(reservation, parts, terms)
          .thenApply(
              settled -> {
                if (settled == SettlementResult.DONE) {
                  observer.gotBack(parts);
                }
                return settled;
              });
    }

    private TakeResult notifyTaken(List<Draw> draws, TakeResult result) {
      observer.took(draws, result);
      return result;
    }
  }

  @Override
  public CompletionStage<TakeResult> take(List<Draw> draws) {
    return cut ? unsent(draws) : inTime(draws, super.take(draws));
  }

  @Override
  public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
    return cut ? unsent(draws) : inTime(draws, super.reserve(reservation, draws));
  }

  private CompletionStage<TakeResult> unsent(List<Draw> draws) {
    calls++;
    return CompletableFuture.completedFuture(TakeResult.notSent(draws));
  }

  @Override
  public CompletionStage<Void> endLease(Pool pool, Key key, LeaseReport lease) {
    return super.endLease(pool, key, lease).applyToEither(time.delay(DEADLINE), response -> null);
  }

  private CompletionStage<TakeResult> inTime(List<Draw> draws, CompletionStage<TakeResult> answer) {
    return answer.applyToEither(
        time.delay(DEADLINE).thenApply(late -> TakeResult.unanswered(draws)), response -> response);
  }

  /** Sends the request and returns the response; the stage never completes if a message is lost. */
  @Override
  protected <T> CompletionStage<T> send(Supplier<CompletionStage<T>> request) {
    calls++;
    if (cut) {
      return CompletableFuture.failedFuture(new IllegalStateException("the link is cut"));
    }
    if (isLost()) {
      return new CompletableFuture<>();
    }
    return delay()
        .thenCompose(there -> request.get())
        .thenCompose(
            answer ->
                isLost()
                    ? new CompletableFuture<T>()
                    : delay().thenCompose(back -> arrived(answer)));
  }

  private <T> CompletableFuture<T> arrived(T answer) {
    return cut ? new CompletableFuture<>() : CompletableFuture.completedFuture(answer);
  }

  private boolean isLost() {
    return hangs || (conditions.lost > 0 && random.nextDouble() < conditions.lost);
  }

  /** Exponentially distributed, so that a few messages take long. */
  private CompletableFuture<Void> delay() {
    double micros = -Math.log(1 - random.nextDouble()) * conditions.meanMicros;
    return time.delay(Duration.ofNanos(1000 + (long) (micros * 1000)));
  }

  /** The store is shared with other instances, so it stays open. */
  @Override
  public void close() {}
}
