package io.weir.near;

import io.weir.Key;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.OnFail;
import io.weir.limit.TakeReceipt;
import io.weir.near.deny.DenialRecorder;
import io.weir.near.deny.DenialTable;
import io.weir.near.deny.DenyCache;
import io.weir.near.fallback.FallbackStore;
import io.weir.near.fallback.LocalLimiter;
import io.weir.near.lease.LeaseStore;
import io.weir.observe.HotKeySketch;
import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import io.weir.store.memory.MemoryStore;
import io.weir.time.TimeSource;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Predicate;

/**
 * The steps in front of a shared store, in the order in which a call passes them:
 *
 * <pre>
 *   {@link DenyCache} ─► {@link LeaseStore} ─► {@link FallbackStore} ─► {@link DenialRecorder} ─► the shared store
 *   refusal cached?   tokens leased?  no answer?      records refusals
 * </pre>
 *
 * <p>{@link HotKeySketch} counts every call and every answer of the store. An error in any step is
 * reported, and the call then follows the {@code on_fail} of its rules, as if the store had not
 * answered.
 */
public final class NearStore extends ForwardingStore {
  private static final Duration MAINTENANCE_INTERVAL = Duration.ofMillis(500);
  private static final long CLOSE_MILLIS = 250;
  private static final int MAX_LEASES = 1 << 16;

  private final Components components;
  private volatile boolean closed;

  /** The steps of a near store, from the last to the first. */
  private record Components(
      TimeSource time,
      HotKeySketch hotKeys,
      Consumer<Throwable> errorHandler,
      LocalLimiter local,
      FallbackStore fallback,
      LeaseStore leases,
      DenyCache first,
      IntSupplier instances) {
    static Components of(
        Store shared,
        LocalLimiter local,
        TimeSource time,
        IntSupplier instances,
        Consumer<Throwable> errorHandler) {
      DenialTable denials = new DenialTable();
      HotKeySketch hotKeys = new HotKeySketch(time);
      DenialRecorder last = new DenialRecorder(denials, hotKeys, time, shared);
      FallbackStore fallback = new FallbackStore(last, local, errorHandler);
      LeaseStore leases = new LeaseStore(MAX_LEASES, denials, time, fallback);
      DenyCache first = new DenyCache(denials, time, leases);
      return new Components(time, hotKeys, errorHandler, local, fallback, leases, first, instances);
    }
  }

  private NearStore(Components components) {
    super(components.first);
    this.components = components;
  }

  /**
   * A near store in front of a shared store.
   *
   * @param local holds this instance's shares of the limits while the store is unavailable
   * @param instances the number of instances that share the store, as last counted
   * @param errorHandler receives unexpected errors; must not throw
   */
  public static NearStore before(
      Store shared,
      MemoryStore local,
      TimeSource time,
      IntSupplier instances,
      Consumer<Throwable> errorHandler) {
    LocalLimiter shares = new LocalLimiter(local, time, instances);
    NearStore near = new NearStore(Components.of(shared, shares, time, instances, errorHandler));
    near.scheduleMaintenance();
    return near;
  }

  @Override
  public CompletionStage<TakeResult> take(List<Draw> draws) {
    try {
      components.hotKeys.note(draws);
      return failSafe(0, draws, false, components.first.take(draws));
    } catch (RuntimeException | Error e) {
      return CompletableFuture.completedFuture(failed(0, draws, false, e));
    }
  }

  @Override
  public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
    try {
      components.hotKeys.note(draws);
      return failSafe(reservation, draws, true, components.first.reserve(reservation, draws));
    } catch (RuntimeException | Error e) {
      return CompletableFuture.completedFuture(failed(reservation, draws, true, e));
    }
  }

  // ---- errors

  private CompletionStage<TakeResult> failSafe(
      long reservation,
      List<Draw> draws,
      boolean settledLater,
      CompletionStage<TakeResult> decision) {
    CompletableFuture<TakeResult> stage = decision.toCompletableFuture();
    return stage.isDone() && !stage.isCompletedExceptionally()
        ? stage
        : stage.exceptionally(error -> failed(reservation, draws, settledLater, error));
  }

  /** The decision on a call that failed on the way to the store or back. */
  public TakeResult failed(List<Draw> draws, Throwable error) {
    return failed(ThreadLocalRandom.current().nextLong(), draws, false, error);
  }

  /** The same for a call that is settled later under this id. */
  public TakeResult failed(long reservation, List<Draw> draws, Throwable error) {
    return failed(reservation, draws, true, error);
  }

  private TakeResult failed(
      long reservation, List<Draw> draws, boolean settledLater, Throwable error) {
    components.errorHandler.accept(error);
    try {
      return components.fallback.decideLocally(reservation, draws, settledLater);
    } catch (RuntimeException | Error e) {
      components.errorHandler.accept(e);
      return decideWithoutState(draws);
    }
  }

  /** The decision when even the local limit failed: only rules with {@code on_fail: open} admit. */
  public static TakeResult decideWithoutState(List<Draw> draws) {
    boolean taken = true;
    for (Draw draw : draws) {
      taken &= draw.mode() != Mode.ENFORCE || draw.pool().onFail() == OnFail.OPEN;
    }
    boolean passes = taken;
    List<LimitStatus> statuses =
        draws.stream().map(draw -> draw.unanswered().edit().allowed(passes).build()).toList();
    List<TakeReceipt> receipts =
        taken ? Collections.nCopies(draws.size(), TakeReceipt.NOWHERE) : List.<TakeReceipt>of();
    return new TakeResult(taken, statuses, receipts);
  }

  // ---- maintenance of leases

  @SuppressWarnings("FutureReturnValueIgnored") // repeats until the near store is closed
  private void scheduleMaintenance() {
    components.time.delay(MAINTENANCE_INTERVAL).thenRun(this::maintain);
  }

  private void maintain() {
    if (closed) {
      return;
    }
    try {
      components.leases.maintain();
    } catch (RuntimeException | Error e) {
      components.errorHandler.accept(e);
    }
    scheduleMaintenance();
  }

  /** Returns all leases. Called after a change of rules and before closing. */
  public CompletionStage<Void> giveBack() {
    components.local.rulesChanged();
    return components.leases.endAll();
  }

  /**
   * Returns the leases on some keys: operators have changed their limits. Cached refusals need no
   * such step, as they hold for a pool, and changed numbers are another pool.
   */
  public CompletionStage<Void> giveBack(Predicate<Key> keys) {
    return components.leases.endKeys(keys);
  }

  // ---- figures

  /** The buckets with the most calls. */
  public HotKeySketch hotKeys() {
    return components.hotKeys;
  }

  @Override
  public int instances() {
    return Math.max(1, components.instances.getAsInt());
  }

  /** Leased tokens that are left, by rule. */
  public Map<String, Long> leased() {
    return components.leases.leasedTokens();
  }

  /** Calls with a lease report that the store answered, by rule. */
  public Map<String, Long> refills() {
    return components.leases.refills();
  }

  /** Returns leases, waits up to 250 ms for the store to confirm, and closes the shared store. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      giveBack().toCompletableFuture().get(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // Leases that were not returned in time expire in the store.
    }
    super.close();
  }
}
