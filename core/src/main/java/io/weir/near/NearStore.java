package io.weir.near;

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

/**
 * All that stands before a shared store, in the order in which a call meets it:
 *
 * <pre>
 *   {@link DenyCache} ─► {@link LeaseStore} ─► {@link FallbackStore} ─► {@link DenialRecorder} ─► the shared store
 *   refused lately?   in hand?     no answer?      refused: note it
 * </pre>
 *
 * <p>Every call is seen by {@link HotKeySketch}, and so is every answer of the store. An error in
 * any step is told, and the call follows its rules' {@code on_fail}, as if the store had not
 * answered.
 */
public final class NearStore extends ForwardingStore {
  private static final Duration MAINTENANCE_INTERVAL = Duration.ofMillis(500);
  private static final long CLOSE_MILLIS = 250;
  private static final int MOST_LEASES = 1 << 16;

  private final Components components;
  private volatile boolean closed;

  /** What a tier is made of, from the last step to the first. */
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
        Consumer<Throwable> unexpected) {
      DenialTable denials = new DenialTable();
      HotKeySketch hotKeys = new HotKeySketch(time);
      DenialRecorder last = new DenialRecorder(denials, hotKeys, time, shared);
      FallbackStore fallback = new FallbackStore(last, local, unexpected);
      LeaseStore leases = new LeaseStore(MOST_LEASES, denials, time, fallback);
      DenyCache first = new DenyCache(denials, time, leases);
      return new Components(time, hotKeys, unexpected, local, fallback, leases, first, instances);
    }
  }

  private NearStore(Components parts) {
    super(parts.first);
    this.components = parts;
  }

  /**
   * The tier before a store.
   *
   * @param local for what this instance decides alone while the store is away
   * @param instances how many instances share the store, as last heard
   * @param unexpected hears of errors that should not be; must not throw
   */
  public static NearStore before(
      Store shared,
      MemoryStore local,
      TimeSource time,
      IntSupplier instances,
      Consumer<Throwable> unexpected) {
    LocalLimiter shares = new LocalLimiter(local, time, instances);
    NearStore tier = new NearStore(Components.of(shared, shares, time, instances, unexpected));
    tier.scheduleMaintenance();
    return tier;
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
        : stage.exceptionally(problem -> failed(reservation, draws, settledLater, problem));
  }

  /** The decision on a call that failed on its way to the store, or back. */
  public TakeResult failed(List<Draw> draws, Throwable problem) {
    return failed(ThreadLocalRandom.current().nextLong(), draws, false, problem);
  }

  /** The same on a call to be settled later by this id. */
  public TakeResult failed(long reservation, List<Draw> draws, Throwable problem) {
    return failed(reservation, draws, true, problem);
  }

  private TakeResult failed(
      long reservation, List<Draw> draws, boolean settledLater, Throwable problem) {
    components.errorHandler.accept(problem);
    try {
      return components.fallback.decideLocally(reservation, draws, settledLater);
    } catch (RuntimeException | Error e) {
      components.errorHandler.accept(e);
      return lastResort(draws);
    }
  }

  /** Not even a local limit could be asked: only what is to stay open does. */
  public static TakeResult lastResort(List<Draw> draws) {
    boolean taken = true;
    for (Draw draw : draws) {
      taken &= draw.mode() != Mode.ENFORCE || draw.pool().onFail() == OnFail.OPEN;
    }
    boolean passes = taken;
    List<LimitStatus> standings =
        draws.stream().map(draw -> draw.unanswered().edit().allowed(passes).build()).toList();
    List<TakeReceipt> stamps =
        taken ? Collections.nCopies(draws.size(), TakeReceipt.NOWHERE) : List.<TakeReceipt>of();
    return new TakeResult(taken, standings, stamps);
  }

  // ---- looking after leases

  @SuppressWarnings("FutureReturnValueIgnored") // goes on for as long as the tier is open
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

  /** Gives all leases back; to be called when rules have changed, and before the end. */
  public CompletionStage<Void> giveBack() {
    components.local.rulesChanged();
    return components.leases.endAll();
  }

  // ---- what there is to see

  /** The buckets that are asked for most. */
  public HotKeySketch hotKeys() {
    return components.hotKeys;
  }

  @Override
  public int instances() {
    return Math.max(1, components.instances.getAsInt());
  }

  /** Tokens in hand, by rule. */
  public Map<String, Long> leased() {
    return components.leases.leasedTokens();
  }

  /** Calls that spoke of leases and that the store answered, by rule. */
  public Map<String, Long> refills() {
    return components.leases.refills();
  }

  /** Gives leases back, waits a moment for that to arrive, and closes the shared store. */
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
      // What did not arrive will be forgotten by itself.
    }
    super.close();
  }
}
