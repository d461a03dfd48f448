package io.weir.redis;

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
 * How many instances share a store.
 *
 * <p>To be alive is to hold a permit that everybody can have: each instance renews its own every
 * two seconds, and one that has died is forgotten after {@value #TTL_SECONDS}. What is in use is
 * the number of instances. While the store does not answer, the last number stays. A larger number
 * counts at once, a smaller one only once it has held for as long as an instance may be silent:
 * when a store comes back empty, its instances come back one by one.
 */
public final class FleetMembership implements AutoCloseable {
  private static final long TTL_SECONDS = 10;
  private static final Duration BEAT = Duration.ofSeconds(2);
  private static final Duration FIRST_BEAT = Duration.ofMillis(50);
  private static final long PATIENCE_MICROS = (TTL_SECONDS + 5) * 1_000_000;
  private static final long LEAVE_MILLIS = 250;
  private static final long MOST = 100_000;

  /** No rule can have this id. */
  private static final String NAME = "/fleet";

  private static final Key KEY = Key.of();

  private static final Pool POOL =
      new Pool(NAME, NAME, "1", new Concurrency(MOST, Duration.ofSeconds(TTL_SECONDS), ""), false);

  private final Store store;
  private final TimeSource time;
  private final long id = ThreadLocalRandom.current().nextLong();
  private volatile int instances;
  private volatile boolean closed;
  private boolean counted;
  private long since;

  private FleetMembership(Store store, TimeSource time, int before) {
    this.store = store;
    this.time = time;
    this.instances = before;
  }

  /**
   * Joins the instances that share a store.
   *
   * @param before how many there are taken to be until the store has said it
   */
  public static FleetMembership join(Store store, TimeSource time, int before) {
    FleetMembership fleet = new FleetMembership(store, time, before);
    fleet.beatAfter(FIRST_BEAT);
    return fleet;
  }

  /** How many instances there are, as last heard; at least 1. */
  public int instances() {
    return instances;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // goes on until it is closed
  private void beatAfter(Duration wait) {
    time.delay(wait)
        .thenCompose(rested -> closed ? CompletableFuture.completedFuture(null) : sendHeartbeat())
        .exceptionally(this::onHeartbeatFailure)
        .thenRun(
            () -> {
              if (!closed) {
                beatAfter(BEAT);
              }
            });
  }

  /** Stays alive, and counts who else does. */
  private CompletionStage<Void> sendHeartbeat() {
    return store
        .renew(id, List.of(permit()))
        .thenCompose(
            renewed -> {
              boolean has = renewed == SettlementResult.DONE;
              Draw draw =
                  new Draw(POOL, KEY, 1, Mode.ENFORCE, has ? Draw.Intent.LOOK : Draw.Intent.HOLD);
              return renewed == SettlementResult.UNAVAILABLE
                  ? CompletableFuture.completedFuture(onHeartbeatFailure(null))
                  : store
                      .reserve(id, List.of(draw))
                      .thenAccept(taking -> onHeartbeat(taking.statuses().get(0)));
            });
  }

  private static ReservedPart permit() {
    return new ReservedPart(POOL, KEY, 1, 1, new TakeReceipt(0, 0));
  }

  private synchronized @Nullable Void onHeartbeatFailure(@Nullable Throwable problem) {
    since = time.micros();
    return null;
  }

  private synchronized void onHeartbeat(LimitStatus standing) {
    long now = time.micros();
    if (!standing.answered()) {
      since = now;
      return;
    }
    int alive = (int) Math.max(1, MOST - standing.remaining());
    if (!counted || alive >= instances || now - since > PATIENCE_MICROS) {
      instances = alive;
      counted = true;
      since = now;
    }
  }

  /** Leaves, and waits a moment for that to arrive. */
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
          .get(LEAVE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // Forgotten by itself then.
    }
  }
}
