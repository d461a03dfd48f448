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
 * One instance's way to the shared store, with all that can happen on a way: it takes time,
 * messages are lost in either direction, answers come too late, and it can be cut.
 */
public final class SimulatedLink extends RemoteStore {
  private static final Duration DEADLINE = Duration.ofMillis(10);

  private final TimeSource time;
  private final SplittableRandom random;
  private final Conditions weather;
  private boolean cut;
  private boolean hangs;
  private long calls;

  /**
   * What a way is like.
   *
   * @param meanMicros how long one direction takes on average
   * @param lost the part of messages that never arrive, from 0 to 1
   */
  public record Conditions(long meanMicros, double lost) {
    public static final Conditions FINE = new Conditions(250, 0);
  }

  /** Who hears of what the store takes, at the moment it does. */
  public interface StoreObserver {
    void took(List<Draw> draws, TakeResult taking);

    /** Hears of what a call had taken that was refused elsewhere. */
    default void gotBack(List<ReservedPart> parts) {}
  }

  public SimulatedLink(
      Store store, TimeSource time, long seed, Conditions weather, StoreObserver watcher) {
    super(new ObservedStore(store, watcher));
    this.time = time;
    this.random = new SplittableRandom(seed);
    this.weather = weather;
  }

  /** Cuts the way for good: the instance has crashed, or the network thinks so. */
  public void cut() {
    cut = true;
  }

  /** From now on nothing is answered, or everything again. */
  public void hang(boolean hang) {
    hangs = hang;
  }

  /** Messages sent so far. */
  public long calls() {
    return calls;
  }

  /** Tells the watcher where the store is, before anything can happen to the answer. */
  private static final class ObservedStore extends ForwardingStore {
    private final StoreObserver watcher;

    ObservedStore(Store store, StoreObserver watcher) {
      super(store);
      this.watcher = watcher;
    }

    @Override
    public CompletionStage<TakeResult> take(List<Draw> draws) {
      return super.take(draws).thenApply(taking -> told(draws, taking));
    }

    @Override
    public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
      return super.reserve(reservation, draws).thenApply(taking -> told(draws, taking));
    }

    @Override
    public CompletionStage<SettlementResult> settle(
        long reservation, List<ReservedPart> parts, SettlementTerms term) {
      return super.settle(reservation, parts, term)
          .thenApply(
              settled -> {
                if (settled == SettlementResult.DONE) {
                  watcher.gotBack(parts);
                }
                return settled;
              });
    }

    private TakeResult told(List<Draw> draws, TakeResult taking) {
      watcher.took(draws, taking);
      return taking;
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
    return super.endLease(pool, key, lease).applyToEither(time.delay(DEADLINE), heard -> null);
  }

  private CompletionStage<TakeResult> inTime(List<Draw> draws, CompletionStage<TakeResult> answer) {
    return answer.applyToEither(
        time.delay(DEADLINE).thenApply(late -> TakeResult.unanswered(draws)), heard -> heard);
  }

  /** There and back again; never back, if anything goes wrong. */
  @Override
  protected <T> CompletionStage<T> send(Supplier<CompletionStage<T>> question) {
    calls++;
    if (cut) {
      return CompletableFuture.failedFuture(new IllegalStateException("there is no way"));
    }
    if (isLost()) {
      return new CompletableFuture<>();
    }
    return delay()
        .thenCompose(there -> question.get())
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
    return hangs || (weather.lost > 0 && random.nextDouble() < weather.lost);
  }

  /** Exponential, so that now and then one takes long. */
  private CompletableFuture<Void> delay() {
    double micros = -Math.log(1 - random.nextDouble()) * weather.meanMicros;
    return time.delay(Duration.ofNanos(1000 + (long) (micros * 1000)));
  }

  /** The store is not this instance's alone. */
  @Override
  public void close() {}
}
