package io.weir.redis.fleet;

import io.weir.Concurrency;
import io.weir.Key;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.SettlementResult;
import io.weir.limit.TakeReceipt;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.Store;
import io.weir.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Counts the instances that share a store.
 *
 * <p>Each live instance holds a permit of a concurrency limit large enough for all. It renews the
 * permit every two seconds; the permit of a dead instance expires after {@value #TTL_SECONDS} s.
 * The number of permits in use is the number of instances. While the store is unavailable, the last
 * number remains in force. A larger number counts at once. A smaller one counts only once it has
 * held for 15 s, longer than a permit lives: when a store comes back empty, its instances rejoin
 * one by one.
 */
public final class FleetMembership implements AutoCloseable {
  private static final long TTL_SECONDS = 10;
  private static final Duration HEARTBEAT = Duration.ofSeconds(2);
  private static final Duration FIRST_HEARTBEAT = Duration.ofMillis(50);
  private static final long SHRINK_AFTER_MICROS = (TTL_SECONDS + 5) * 1_000_000;
  private static final long LEAVE_TIMEOUT_MILLIS = 250;
  private static final long MAX_INSTANCES = 100_000;

  /** No rule can have this id. */
  private static final String NAME = "/fleet";

  private static final Key KEY = Key.of();

  private static final Pool POOL =
      new Pool(
          NAME,
          NAME,
          "1",
          new Concurrency(MAX_INSTANCES, Duration.ofSeconds(TTL_SECONDS), ""),
          false);

  private final Store store;
  private final TimeSource time;
  private final long id = ThreadLocalRandom.current().nextLong();
  private volatile int instances;
  private volatile boolean closed;
  private boolean counted;
  private long since;

  private FleetMembership(Store store, TimeSource time, int assumed) {
    this.store = store;
    this.time = time;
    this.instances = assumed;
  }

  /**
   * Joins the instances that share a store.
   *
   * @param assumed the number of instances assumed until the store has replied
   */
  public static FleetMembership join(Store store, TimeSource time, int assumed) {
    FleetMembership fleet = new FleetMembership(store, time, assumed);
    fleet.heartbeatAfter(FIRST_HEARTBEAT);
    return fleet;
  }

  /** The last known number of instances; at least 1. */
  public int instances() {
    return instances;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // repeats until closed
  private void heartbeatAfter(Duration wait) {
    time.delay(wait)
        .thenCompose(waited -> closed ? CompletableFuture.completedFuture(null) : sendHeartbeat())
        .exceptionally(this::onHeartbeatFailure)
        .thenRun(
            () -> {
              if (!closed) {
                heartbeatAfter(HEARTBEAT);
              }
            });
  }

  /** Renews the permit, or takes one if it has expired, and reads the number of permits in use. */
  private CompletionStage<Void> sendHeartbeat() {
    return store
        .renew(id, List.of(permit()))
        .thenCompose(
            renewed -> {
              boolean holdsPermit = renewed == SettlementResult.DONE;
              Draw draw =
                  new Draw(
                      POOL,
                      KEY,
                      1,
                      Mode.ENFORCE,
                      holdsPermit ? Draw.Intent.LOOK : Draw.Intent.HOLD);
              return renewed == SettlementResult.UNAVAILABLE
                  ? CompletableFuture.completedFuture(onHeartbeatFailure(null))
                  : store
                      .reserve(id, List.of(draw))
                      .thenAccept(result -> onHeartbeat(result.statuses().get(0)));
            });
  }

  private static ReservedPart permit() {
    return new ReservedPart(POOL, KEY, 1, 1, new TakeReceipt(0, 0));
  }

  private synchronized @Nullable Void onHeartbeatFailure(@Nullable Throwable problem) {
    since = time.micros();
    return null;
  }

  private synchronized void onHeartbeat(LimitStatus status) {
    long now = time.micros();
    if (!status.answered()) {
      since = now;
      return;
    }
    int alive = (int) Math.max(1, MAX_INSTANCES - status.remaining());
    if (!counted || alive >= instances || now - since > SHRINK_AFTER_MICROS) {
      instances = alive;
      counted = true;
      since = now;
    }
  }

  /** Leaves, and waits up to 250 ms for the store to confirm it. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      store
          .release(id, List.of(permit()))
          .toCompletableFuture()
          .get(LEAVE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // The permit expires by itself.
    }
  }
}
