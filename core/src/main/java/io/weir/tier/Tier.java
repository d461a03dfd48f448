package io.weir.tier;

import io.weir.Mode;
import io.weir.OnFail;
import io.weir.Standing;
import io.weir.limit.Stamp;
import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.MemoryStore;
import io.weir.store.Store;
import io.weir.store.Taking;
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
 *   {@link DenyCache} ─► {@link Leases} ─► {@link Fallback} ─► {@link DenyNotes} ─► the shared store
 *   refused lately?   in hand?     no answer?      refused: note it
 * </pre>
 *
 * <p>Every call is seen by {@link HotKeys}, and so is every answer of the store. An error in any
 * step is told, and the call follows its rules' {@code on_fail}, as if the store had not answered.
 */
public final class Tier extends ForwardingStore {
  private static final Duration TEND_EVERY = Duration.ofMillis(500);
  private static final long CLOSE_MILLIS = 250;
  private static final int MOST_LEASES = 1 << 16;

  private final Parts parts;
  private volatile boolean closed;

  /** What a tier is made of, from the last step to the first. */
  private record Parts(
      TimeSource time,
      HotKeys hotKeys,
      Consumer<Throwable> unexpected,
      LocalShares local,
      Fallback fallback,
      Leases leases,
      DenyCache first,
      IntSupplier instances) {
    static Parts of(
        Store shared,
        LocalShares local,
        TimeSource time,
        IntSupplier instances,
        Consumer<Throwable> unexpected) {
      Denials denials = new Denials();
      HotKeys hotKeys = new HotKeys(time);
      DenyNotes last = new DenyNotes(denials, hotKeys, time, shared);
      Fallback fallback = new Fallback(last, local, unexpected);
      Leases leases = new Leases(MOST_LEASES, denials, time, fallback);
      DenyCache first = new DenyCache(denials, time, leases);
      return new Parts(time, hotKeys, unexpected, local, fallback, leases, first, instances);
    }
  }

  private Tier(Parts parts) {
    super(parts.first);
    this.parts = parts;
  }

  /**
   * The tier before a store.
   *
   * @param local for what this instance decides alone while the store is away
   * @param instances how many instances share the store, as last heard
   * @param unexpected hears of errors that should not be; must not throw
   */
  public static Tier before(
      Store shared,
      MemoryStore local,
      TimeSource time,
      IntSupplier instances,
      Consumer<Throwable> unexpected) {
    LocalShares shares = new LocalShares(local, time, instances);
    Tier tier = new Tier(Parts.of(shared, shares, time, instances, unexpected));
    tier.tendLater();
    return tier;
  }

  @Override
  public CompletionStage<Taking> take(List<Draw> draws) {
    try {
      parts.hotKeys.note(draws);
      return sheltered(0, draws, false, parts.first.take(draws));
    } catch (RuntimeException | Error e) {
      return CompletableFuture.completedFuture(failed(0, draws, false, e));
    }
  }

  @Override
  public CompletionStage<Taking> reserve(long reservation, List<Draw> draws) {
    try {
      parts.hotKeys.note(draws);
      return sheltered(reservation, draws, true, parts.first.reserve(reservation, draws));
    } catch (RuntimeException | Error e) {
      return CompletableFuture.completedFuture(failed(reservation, draws, true, e));
    }
  }

  // ---- errors

  private CompletionStage<Taking> sheltered(
      long reservation, List<Draw> draws, boolean settledLater, CompletionStage<Taking> decision) {
    CompletableFuture<Taking> stage = decision.toCompletableFuture();
    return stage.isDone() && !stage.isCompletedExceptionally()
        ? stage
        : stage.exceptionally(problem -> failed(reservation, draws, settledLater, problem));
  }

  /** The decision on a call that failed on its way to the store, or back. */
  public Taking failed(List<Draw> draws, Throwable problem) {
    return failed(ThreadLocalRandom.current().nextLong(), draws, false, problem);
  }

  /** The same on a call to be settled later by this id. */
  public Taking failed(long reservation, List<Draw> draws, Throwable problem) {
    return failed(reservation, draws, true, problem);
  }

  private Taking failed(
      long reservation, List<Draw> draws, boolean settledLater, Throwable problem) {
    parts.unexpected.accept(problem);
    try {
      return parts.fallback.decideAlone(reservation, draws, settledLater);
    } catch (RuntimeException | Error e) {
      parts.unexpected.accept(e);
      return lastResort(draws);
    }
  }

  /** Not even a local limit could be asked: only what is to stay open does. */
  public static Taking lastResort(List<Draw> draws) {
    boolean taken = true;
    for (Draw draw : draws) {
      taken &= draw.mode() != Mode.ENFORCE || draw.pool().onFail() == OnFail.OPEN;
    }
    boolean passes = taken;
    List<Standing> standings =
        draws.stream().map(draw -> draw.unanswered().edit().allowed(passes).build()).toList();
    List<Stamp> stamps =
        taken ? Collections.nCopies(draws.size(), Stamp.NOWHERE) : List.<Stamp>of();
    return new Taking(taken, standings, stamps);
  }

  // ---- looking after leases

  @SuppressWarnings("FutureReturnValueIgnored") // goes on for as long as the tier is open
  private void tendLater() {
    parts.time.after(TEND_EVERY).thenRun(this::tend);
  }

  private void tend() {
    if (closed) {
      return;
    }
    try {
      parts.leases.tend();
    } catch (RuntimeException | Error e) {
      parts.unexpected.accept(e);
    }
    tendLater();
  }

  /** Gives all leases back; to be called when rules have changed, and before the end. */
  public CompletionStage<Void> giveBack() {
    parts.local.rulesChanged();
    return parts.leases.endAll();
  }

  // ---- what there is to see

  /** The buckets that are asked for most. */
  public HotKeys hotKeys() {
    return parts.hotKeys;
  }

  /** How many instances share the store, as last heard. */
  public int instances() {
    return Math.max(1, parts.instances.getAsInt());
  }

  /** Tokens in hand, by rule. */
  public Map<String, Long> leased() {
    return parts.leases.inHand();
  }

  /** Calls that spoke of leases and that the store answered, by rule. */
  public Map<String, Long> refills() {
    return parts.leases.refills();
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
