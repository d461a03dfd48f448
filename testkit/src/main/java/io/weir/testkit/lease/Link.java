package io.weir.testkit.lease;

import io.weir.Key;
import io.weir.Settlement;
import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.Held;
import io.weir.store.LeaseCall;
import io.weir.store.Pool;
import io.weir.store.Store;
import io.weir.store.Taking;
import io.weir.store.Term;
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
public final class Link extends RemoteStore {
  private static final Duration DEADLINE = Duration.ofMillis(10);

  private final TimeSource time;
  private final SplittableRandom random;
  private final Weather weather;
  private boolean cut;
  private boolean hangs;
  private long calls;

  /**
   * What a way is like.
   *
   * @param meanMicros how long one direction takes on average
   * @param lost the part of messages that never arrive, from 0 to 1
   */
  public record Weather(long meanMicros, double lost) {
    public static final Weather FINE = new Weather(250, 0);
  }

  /** Who hears of what the store takes, at the moment it does. */
  public interface Watcher {
    void took(List<Draw> draws, Taking taking);

    /** Hears of what a call had taken that was refused elsewhere. */
    default void gotBack(List<Held> parts) {}
  }

  public Link(Store store, TimeSource time, long seed, Weather weather, Watcher watcher) {
    super(new Watched(store, watcher));
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
  private static final class Watched extends ForwardingStore {
    private final Watcher watcher;

    Watched(Store store, Watcher watcher) {
      super(store);
      this.watcher = watcher;
    }

    @Override
    public CompletionStage<Taking> take(List<Draw> draws) {
      return super.take(draws).thenApply(taking -> told(draws, taking));
    }

    @Override
    public CompletionStage<Taking> reserve(long reservation, List<Draw> draws) {
      return super.reserve(reservation, draws).thenApply(taking -> told(draws, taking));
    }

    @Override
    public CompletionStage<Settlement> settle(long reservation, List<Held> parts, Term term) {
      return super.settle(reservation, parts, term)
          .thenApply(
              settled -> {
                if (settled == Settlement.DONE) {
                  watcher.gotBack(parts);
                }
                return settled;
              });
    }

    private Taking told(List<Draw> draws, Taking taking) {
      watcher.took(draws, taking);
      return taking;
    }
  }

  @Override
  public CompletionStage<Taking> take(List<Draw> draws) {
    return cut ? unsent(draws) : inTime(draws, super.take(draws));
  }

  @Override
  public CompletionStage<Taking> reserve(long reservation, List<Draw> draws) {
    return cut ? unsent(draws) : inTime(draws, super.reserve(reservation, draws));
  }

  private CompletionStage<Taking> unsent(List<Draw> draws) {
    calls++;
    return CompletableFuture.completedFuture(Taking.unsent(draws));
  }

  @Override
  public CompletionStage<Void> endLease(Pool pool, Key key, LeaseCall lease) {
    return super.endLease(pool, key, lease).applyToEither(time.after(DEADLINE), heard -> null);
  }

  private CompletionStage<Taking> inTime(List<Draw> draws, CompletionStage<Taking> answer) {
    return answer.applyToEither(
        time.after(DEADLINE).thenApply(late -> Taking.unanswered(draws)), heard -> heard);
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
    return time.after(Duration.ofNanos(1000 + (long) (micros * 1000)));
  }

  /** The store is not this instance's alone. */
  @Override
  public void close() {}
}
