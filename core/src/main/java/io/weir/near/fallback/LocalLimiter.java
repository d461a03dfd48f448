package io.weir.near.fallback;

import io.weir.Algorithm;
import io.weir.ExactNumbers;
import io.weir.Key;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.SettlementResult;
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
 * Decides in memory by this instance's {@link InstanceShare} of each limit, and knows what of that
 * is owed to the shared store.
 *
 * <p>What has been paid stays taken here, and is no longer owed: so a share gives out its burst
 * once, however often the store comes and goes. Windows and quotas start from what was left when
 * the store was last heard, divided likewise: what was gone before counts as taken, but is not
 * owed. Nor is anything by keys that share a bucket as memory is full: nobody knows whose it is.
 */
public final class LocalLimiter implements DebtCarrier.DebtLedger {
  private static final long SECOND = 1_000_000;

  private final MemoryStore memory;
  private final TimeSource time;
  private final LastKnownRemaining lastKnown = new LastKnownRemaining();
  private final InstanceShareCache shares;

  /** The moment from which on nothing can be owed any more. */
  private final AtomicLong debtUntil = new AtomicLong(Long.MIN_VALUE);

  /**
   * Shares of nothing yet.
   *
   * @param memory where they are kept, beside what is about this instance anyway
   * @param instances among how many the limits are divided
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
    TakeResult taking = memory.reserve(reservation, here).toCompletableFuture().join();
    List<LimitStatus> standings = new ArrayList<>(draws.size());
    for (int i = 0; i < here.size(); i++) {
      standings.add(degraded(draws.get(i), taking.statuses().get(i)));
    }
    return new TakeResult(taking.taken(), standings, taking.receipts());
  }

  /**
   * How the shared limit stands by what its share says. What only the share is too small for may be
   * there when the store is.
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
        .delay(ExactNumbers.micros(share.delay()))
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
      long over = time.micros() + 2 * ExactNumbers.micros(share.pool().meter().limit().window());
      debtUntil.accumulateAndGet(over, Math::max);
    }
    return share;
  }

  private static boolean isWindow(Pool pool) {
    return switch (pool.meter().limit().algorithm()) {
      case FIXED_WINDOW, SLIDING_WINDOW, SLIDING_LOG, QUOTA -> true;
      case TOKEN_BUCKET, LEAKY_BUCKET, CONCURRENCY -> false;
    };
  }

  /** The first time that a window is decided here, takes what was gone from it before. */
  private void startFromLastKnown(Draw draw, InstanceShare share) {
    long remaining = lastKnown.take(draw.pool(), draw.key(), time.micros());
    if (remaining >= 0) {
      long start = share.scale().times(remaining);
      long gone = share.pool().meter().capacity() - start - used(share.pool(), draw.key());
      if (gone > 0) {
        memory.chargeDebt(share.pool(), draw.key(), gone);
        memory.chargeDebt(share.settled(), draw.key(), gone);
      }
    }
  }

  /** Notes how windows stood when the store was heard. */
  void recordAnswer(List<Draw> draws, TakeResult taking) {
    for (int i = 0; i < draws.size(); i++) {
      Draw draw = draws.get(i);
      LimitStatus standing = taking.statuses().get(i);
      if (standing.answered() && isWindow(draw.pool())) {
        long now = time.micros();
        long until = now + standing.resetMicros();
        lastKnown.record(draw.pool(), draw.key(), standing.remaining(), until, now);
      }
    }
  }

  // ---- what is owed

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

  /** What is taken from a key's bucket, be it one that it shares as memory is full. */
  private long used(Pool share, Key key) {
    Draw look = new Draw(share, key, 0, Mode.SHADOW, Draw.Intent.LOOK);
    long remaining = memory.takeSync(List.of(look)).statuses().get(0).remaining();
    return share.meter().capacity() - remaining;
  }

  // ---- putting right what was decided here

  /** What came of settling here, and what the store has to give back because of it. */
  record LocalSettlement(SettlementResult result, List<DebtRefund> refunds) {}

  /**
   * Settles parts that were decided here. What they give back is first what is still owed; the rest
   * the store was told of, and gets it back, unless it is away: then it counts here alone, and
   * covers what is let through next.
   *
   * @param away whether the store is known not to answer for a bucket
   */
  synchronized LocalSettlement settle(
      long reservation,
      List<ReservedPart> parts,
      SettlementTerms term,
      BiPredicate<Pool, Key> away) {
    List<ReservedPart> here = localParts(parts);
    long[] before =
        here.stream().mapToLong(part -> memory.taken(part.pool(), part.key())).toArray();
    // Another name for the mark: rules of this instance alone settle in the same memory.
    SettlementResult came = memory.settle(~reservation, here, term).toCompletableFuture().join();
    List<DebtRefund> overpaid = new ArrayList<>();
    for (int i = 0; came == SettlementResult.DONE && i < here.size(); i++) {
      ReservedPart part = parts.get(i);
      if (part.actualAmount() < part.amount() && !away.test(part.pool(), part.key())) {
        overpaid.addAll(refundsOf(part, before[i]));
      }
    }
    return new LocalSettlement(came, overpaid);
  }

  /** Takes off the books what was told of a part and came back. */
  private List<DebtRefund> refundsOf(ReservedPart part, long before) {
    Key key = part.key();
    InstanceShare share = shares.last(part.pool(), key);
    long settled = used(share.settled(), key);
    long over = Math.min(settled, before) - Math.min(settled, memory.taken(share.pool(), key));
    long charged = memory.taken(share.charged(), key);
    long left = Math.min(over, Math.min(part.amount() - part.actualAmount(), charged));
    List<DebtRefund> overpaid = new ArrayList<>();
    long[] windows = DebtRefund.windows(part, time.wallMicros());
    for (int i = 0; i < windows.length && left > 0; i++) {
      long weighed = Math.min(left, removeCharge(share, key, left, windows[i]));
      // Only the last window weighs all that is in it.
      long amount = i < windows.length - 1 ? left : weighed;
      if (weighed > 0) {
        overpaid.add(DebtRefund.of(part, share, windows[i], amount));
      }
      left -= weighed + 1; // what is left is rounded down
    }
    return overpaid;
  }

  /** Takes so much off the books in one window; returns what that weighed. */
  private long removeCharge(InstanceShare share, Key key, long amount, long window) {
    long before = memory.taken(share.charged(), key);
    for (Pool books : List.of(share.settled(), share.charged())) {
      memory.giveBack(
          0, List.of(new ReservedPart(books, key, amount, 0, new TakeReceipt(window, 0))));
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

  /** Shares of pools that are gone need not be remembered; what was taken from them is. */
  public void rulesChanged() {
    shares.forget();
  }
}
