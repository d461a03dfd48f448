package io.weir.testkit.lease;

import io.weir.Key;
import io.weir.Settlement;
import io.weir.Standing;
import io.weir.store.Draw;
import io.weir.store.Held;
import io.weir.store.LeaseCall;
import io.weir.store.Pool;
import io.weir.store.Store;
import io.weir.store.Taking;
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
public final class Link implements Store {
  private static final Duration DEADLINE = Duration.ofMillis(10);

  private final Store store;
  private final TimeSource time;
  private final SplittableRandom random;
  private final Weather weather;
  private final Watcher watcher;
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
  }

  public Link(Store store, TimeSource time, long seed, Weather weather, Watcher watcher) {
    this.store = store;
    this.time = time;
    this.random = new SplittableRandom(seed);
    this.weather = weather;
    this.watcher = watcher;
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

  @Override
  public CompletionStage<Taking> take(List<Draw> draws) {
    return decide(draws, () -> store.take(draws));
  }

  @Override
  public CompletionStage<Taking> reserve(long reservation, List<Draw> draws) {
    return decide(draws, () -> store.reserve(reservation, draws));
  }

  private CompletionStage<Taking> decide(
      List<Draw> draws, Supplier<CompletionStage<Taking>> question) {
    return send(() ->
            question
                .get()
                .thenApply(
                    taking -> {
                      watcher.took(draws, taking);
                      return taking;
                    }))
        .applyToEither(time.after(DEADLINE).thenApply(late -> silence(draws)), answer -> answer);
  }

  private static Taking silence(List<Draw> draws) {
    List<Standing> standings =
        draws.stream()
            .map(
                draw ->
                    new Standing.Builder(
                            draw.pool().rule(),
                            draw.pool().name(),
                            draw.pool().meter().limit(),
                            draw.mode())
                        .unanswered()
                        .build())
            .toList();
    return new Taking(false, standings, List.of());
  }

  /** There and back again; never back, if anything goes wrong. */
  private <T> CompletableFuture<T> send(Supplier<CompletionStage<T>> question) {
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

  @Override
  public CompletionStage<Settlement> settle(long reservation, List<Held> parts, Duration within) {
    return send(() -> store.settle(reservation, parts, within));
  }

  @Override
  public CompletionStage<Settlement> release(long reservation, List<Held> parts) {
    return send(() -> store.release(reservation, parts));
  }

  @Override
  public CompletionStage<Settlement> renew(long reservation, List<Held> parts) {
    return send(() -> store.renew(reservation, parts));
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    return send(() -> store.refund(pool, key, amount));
  }

  @Override
  public CompletionStage<Void> endLease(Pool pool, Key key, LeaseCall lease) {
    return send(() -> store.endLease(pool, key, lease));
  }

  @Override
  public CompletionStage<List<String>> describe(List<Draw> draws) {
    return send(() -> store.describe(draws));
  }

  @Override
  public void close() {}
}
