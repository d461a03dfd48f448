package io.weir.near.fallback;

import io.weir.Algorithm;
import io.weir.Key;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.SettlementResult;
import io.weir.base.Micros;
import io.weir.limit.Meter;
import io.weir.limit.TakeReceipt;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.SettlementTerms;
import io.weir.store.TakeResult;
import io.weir.store.memory.MemoryStore;
import io.weir.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiPredicate;
import java.util.function.IntSupplier;

/**
 * Decides in memory by this instance's {@link InstanceShare} of each limit, and records how much of
 * that is owed to the shared store.
 *
 * <p>An amount that was charged in the store stays taken here and is no longer owed, so a share
 * admits its burst once, however often the store becomes unavailable and available again. Windows
 * and quotas start from the remaining amount at the store's last answer, divided likewise: usage
 * before that counts as taken but is not owed. Keys in overflow buckets (memory full) owe nothing,
 * as usage there cannot be attributed to a key.
 */
public final class LocalLimiter implements DebtCarrier.DebtLedger {
  private static final long SECOND = 1_000_000;

  private final MemoryStore memory;
  private final TimeSource time;
  private final LastKnownRemaining lastKnown = new LastKnownRemaining();
  private final InstanceShareCache shares;

  /** The time in µs after which no debt can remain. */
  private final AtomicLong debtUntil = new AtomicLong(Long.MIN_VALUE);

  /**
   * A limiter without usage.
   *
   * @param memory holds the shares, beside the pools of instance-scoped rules
   * @param instances the number of instances that the limits are divided by
   */
  public LocalLimiter(MemoryStore memory, TimeSource time, IntSupplier instances) {
    this.memory = memory;
    this.time = time;
    this.shares = new InstanceShareCache(instances);
  }

  /** Takes the draws from this instance's shares, all or none. */
  TakeResult reserve(long reservation, List<Draw> draws) {
    if (draws.isEmpty()) {
      return new TakeResult(true, List.of(), List.of());
    }
    List<Draw> here = new ArrayList<>(draws.size());
    for (Draw draw : draws) {
      Pool share = shareFor(draw).pool();
      here.add(new Draw(share, draw.key(), draw.amount(), draw.mode(), draw.intent(), draw.unit()));
    }
    TakeResult result = memory.reserve(reservation, here).toCompletableFuture().join();
    List<LimitStatus> statuses = new ArrayList<>(draws.size());
    for (int i = 0; i < here.size(); i++) {
      statuses.add(degraded(draws.get(i), result.statuses().get(i)));
    }
    return new TakeResult(result.taken(), statuses, result.receipts());
  }

  /**
   * The status of the shared limit, given that of its share. An amount that exceeds only the share
   * may be retried: the store may admit it when it is available again.
   */
  private static LimitStatus degraded(Draw draw, LimitStatus share) {
    Meter meter = draw.pool().meter();
    boolean onlyTheShare =
        !share.allowed()
            && share.retryAfterMicros() == Meter.NEVER
            && meter.limit().algorithm() != Algorithm.CONCURRENCY
            && meter.capacity() > 0
            && draw.amount() <= meter.capacity();
    return draw.statusBuilder()
        .allowed(share.allowed())
        .remaining(share.remaining())
        .reset(share.resetMicros())
        .retryAfter(onlyTheShare ? SECOND : share.retryAfterMicros())
        .delay(Micros.of(share.delay()))
        .degraded()
        .build();
  }

  private InstanceShare shareFor(Draw draw) {
    InstanceShare share = shares.current(draw.pool());
    if (!draw.isLook()) {
      shares.recordDecidingShare(share, draw.pool(), draw.key());
      if (isWindow(draw.pool())) {
        startFromLastKnown(draw, share);
      }
      long until = time.micros() + 2 * Micros.of(share.pool().meter().limit().window());
      debtUntil.accumulateAndGet(until, Math::max);
    }
    return share;
  }

  private static boolean isWindow(Pool pool) {
    return switch (pool.meter().limit().algorithm()) {
      case FIXED_WINDOW, SLIDING_WINDOW, SLIDING_LOG, QUOTA -> true;
      case TOKEN_BUCKET, LEAKY_BUCKET, CONCURRENCY -> false;
    };
  }

  /** At the first local decision on a window, charges its earlier usage. */
  private void startFromLastKnown(Draw draw, InstanceShare share) {
    long remaining = lastKnown.take(draw.pool(), draw.key(), time.micros());
    if (remaining >= 0) {
      long start = share.ratio().times(remaining);
      long spent = share.pool().meter().capacity() - start - used(share.pool(), draw.key());
      if (spent > 0) {
        memory.chargeDebt(share.pool(), draw.key(), spent);
        memory.chargeDebt(share.settled(), draw.key(), spent);
      }
    }
  }

  /** Records the remaining amounts of windows from an answer of the store. */
  void recordAnswer(List<Draw> draws, TakeResult result) {
    for (int i = 0; i < draws.size(); i++) {
      Draw draw = draws.get(i);
      LimitStatus status = result.statuses().get(i);
      if (status.answered() && isWindow(draw.pool())) {
        long now = time.micros();
        long until = now + status.resetMicros();
        lastKnown.record(draw.pool(), draw.key(), status.remaining(), until, now);
      }
    }
  }

  // ---- debts

  @Override
  public boolean mayHaveDebts() {
    long until = debtUntil.get();
    return until != Long.MIN_VALUE && time.micros() < until;
  }

  @Override
  public long debt(Pool pool, Key key) {
    if (pool.meter().limit().algorithm() == Algorithm.CONCURRENCY) {
      return 0;
    }
    InstanceShare share = shares.last(pool, key);
    long taken = memory.taken(share.pool(), key);
    return taken == 0 ? 0 : Math.max(0, taken - used(share.settled(), key));
  }

  @Override
  public void onCharged(Pool pool, Key key, long amount, boolean inFull) {
    InstanceShare share = shares.last(pool, key);
    memory.chargeDebt(share.settled(), key, amount);
    if (inFull) {
      memory.chargeDebt(share.charged(), key, amount);
    }
  }

  @Override
  public long micros() {
    return time.micros();
  }

  /** The amount taken from a key's bucket, which may be an overflow bucket. */
  private long used(Pool share, Key key) {
    Draw look = new Draw(share, key, 0, Mode.SHADOW, Draw.Intent.LOOK);
    long remaining = memory.takeSync(List.of(look)).statuses().get(0).remaining();
    return share.meter().capacity() - remaining;
  }

  // ---- settling local decisions

  /** The result of a local settlement, and the refunds to request from the store. */
  record LocalSettlement(SettlementResult result, List<DebtRefund> refunds) {}

  /**
   * Settles parts that were decided locally. The amount given back reduces the debt first. The rest
   * was charged in the store, which refunds it. If the store is unavailable, the rest stays in this
   * instance's share, and covers later local decisions.
   *
   * @param unavailable whether the store is known not to answer for a bucket
   */
  synchronized LocalSettlement settle(
      long reservation,
      List<ReservedPart> parts,
      SettlementTerms terms,
      BiPredicate<Pool, Key> unavailable) {
    List<ReservedPart> here = localParts(parts);
    long[] before =
        here.stream().mapToLong(part -> memory.taken(part.pool(), part.key())).toArray();
    // A different id for the marker: instance-scoped rules settle in the same memory.
    SettlementResult outcome =
        memory.settle(~reservation, here, terms).toCompletableFuture().join();
    List<DebtRefund> refunds = new ArrayList<>();
    for (int i = 0; outcome == SettlementResult.DONE && i < here.size(); i++) {
      ReservedPart part = parts.get(i);
      if (part.actualAmount() < part.amount() && !unavailable.test(part.pool(), part.key())) {
        refunds.addAll(refundsOf(part, before[i]));
      }
    }
    return new LocalSettlement(outcome, refunds);
  }

  /** Removes the part of a give-back that was charged in the store, and returns it as refunds. */
  private List<DebtRefund> refundsOf(ReservedPart part, long before) {
    Key key = part.key();
    InstanceShare share = shares.last(part.pool(), key);
    long settled = used(share.settled(), key);
    long excess = Math.min(settled, before) - Math.min(settled, memory.taken(share.pool(), key));
    long charged = memory.taken(share.charged(), key);
    long left = Math.min(excess, Math.min(part.amount() - part.actualAmount(), charged));
    List<DebtRefund> refunds = new ArrayList<>();
    long[] windows = DebtRefund.windows(part, time.wallMicros());
    for (int i = 0; i < windows.length && left > 0; i++) {
      long weighed = Math.min(left, removeCharge(share, key, left, windows[i]));
      // Only the last window counts in full.
      long amount = i < windows.length - 1 ? left : weighed;
      if (weighed > 0) {
        refunds.add(DebtRefund.of(part, share, windows[i], amount));
      }
      left -= weighed + 1; // remaining amounts are rounded down
    }
    return refunds;
  }

  /** Removes an amount from the bookkeeping pools in one window; returns its weight there. */
  private long removeCharge(InstanceShare share, Key key, long amount, long window) {
    long before = memory.taken(share.charged(), key);
    for (Pool pool : List.of(share.settled(), share.charged())) {
      memory.giveBack(
          0, List.of(new ReservedPart(pool, key, amount, 0, new TakeReceipt(window, 0))));
    }
    return before - memory.taken(share.charged(), key);
  }

  CompletionStage<SettlementResult> release(long reservation, List<ReservedPart> parts) {
    return memory.release(reservation, localParts(parts));
  }

  CompletionStage<SettlementResult> renew(long reservation, List<ReservedPart> parts) {
    return memory.renew(reservation, localParts(parts));
  }

  private List<ReservedPart> localParts(List<ReservedPart> parts) {
    List<ReservedPart> here = new ArrayList<>(parts.size());
    for (ReservedPart part : parts) {
      Pool share = shares.last(part.pool(), part.key()).pool();
      here.add(
          new ReservedPart(share, part.key(), part.amount(), part.actualAmount(), part.receipt()));
    }
    return here;
  }

  /** Makes the share of a bucket unused, and drops its debt. */
  void reset(Pool pool, Key key) {
    InstanceShare share = shares.last(pool, key);
    for (Pool part : List.of(share.pool(), share.settled(), share.charged())) {
      memory.remove(part, key);
    }
    lastKnown.take(pool, key, time.micros());
  }

  /** Clears cached shares of removed pools; the amounts taken from them are kept. */
  public void rulesChanged() {
    shares.forget();
  }
}
