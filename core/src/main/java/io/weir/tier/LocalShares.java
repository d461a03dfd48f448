package io.weir.tier;

import io.weir.Algorithm;
import io.weir.Key;
import io.weir.Mode;
import io.weir.Settlement;
import io.weir.Standing;
import io.weir.limit.Bounds;
import io.weir.limit.Meter;
import io.weir.limit.Stamp;
import io.weir.store.Draw;
import io.weir.store.Held;
import io.weir.store.MemoryStore;
import io.weir.store.Pool;
import io.weir.store.Taking;
import io.weir.store.Term;
import io.weir.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiPredicate;
import java.util.function.IntSupplier;

/**
 * Decides in memory by this instance's {@link Share} of each limit, and knows what of that is owed
 * to the shared store.
 *
 * <p>What has been paid stays taken here, and is no longer owed: so a share gives out its burst
 * once, however often the store comes and goes. Windows and quotas start from what was left when
 * the store was last heard, divided likewise: what was gone before counts as taken, but is not
 * owed. Nor is anything by keys that share a bucket as memory is full: nobody knows whose it is.
 */
final class LocalShares implements Debts.Books {
  private static final long SECOND = 1_000_000;

  private final MemoryStore memory;
  private final TimeSource time;
  private final LastSeen lastSeen = new LastSeen();
  private final Shares shares;

  /** The moment from which on nothing can be owed any more. */
  private final AtomicLong owingUntil = new AtomicLong(Long.MIN_VALUE);

  /**
   * Shares of nothing yet.
   *
   * @param memory where they are kept, beside what is about this instance anyway
   * @param instances among how many the limits are divided
   */
  LocalShares(MemoryStore memory, TimeSource time, IntSupplier instances) {
    this.memory = memory;
    this.time = time;
    this.shares = new Shares(instances);
  }

  /** Takes the draws from this instance's shares, all or none. */
  Taking reserve(long reservation, List<Draw> draws) {
    if (draws.isEmpty()) {
      return new Taking(true, List.of(), List.of());
    }
    List<Draw> here = new ArrayList<>(draws.size());
    for (Draw draw : draws) {
      Pool share = shareFor(draw).pool();
      here.add(new Draw(share, draw.key(), draw.amount(), draw.mode(), draw.intent(), draw.unit()));
    }
    Taking taking = memory.reserve(reservation, here).toCompletableFuture().join();
    List<Standing> standings = new ArrayList<>(draws.size());
    for (int i = 0; i < here.size(); i++) {
      standings.add(degraded(draws.get(i), taking.standings().get(i)));
    }
    return new Taking(taking.taken(), standings, taking.stamps());
  }

  /**
   * How the shared limit stands by what its share says. What only the share is too small for may be
   * there when the store is.
   */
  private static Standing degraded(Draw draw, Standing share) {
    Meter meter = draw.pool().meter();
    boolean onlyTheShare =
        !share.allowed()
            && share.retryAfterMicros() == Meter.NEVER
            && meter.limit().algorithm() != Algorithm.CONCURRENCY
            && meter.capacity() > 0
            && draw.amount() <= meter.capacity();
    return draw.standing()
        .allowed(share.allowed())
        .remaining(share.remaining())
        .reset(share.resetMicros())
        .retryAfter(onlyTheShare ? SECOND : share.retryAfterMicros())
        .delay(Bounds.micros(share.delay()))
        .degraded()
        .build();
  }

  private Share shareFor(Draw draw) {
    Share share = shares.now(draw.pool());
    if (!draw.looks()) {
      shares.decides(share, draw.pool(), draw.key());
      if (isWindow(draw.pool())) {
        startFromLastSeen(draw, share);
      }
      long over = time.micros() + 2 * Bounds.micros(share.pool().meter().limit().window());
      owingUntil.accumulateAndGet(over, Math::max);
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
  private void startFromLastSeen(Draw draw, Share share) {
    long remaining = lastSeen.take(draw.pool(), draw.key(), time.micros());
    if (remaining >= 0) {
      long start = share.scale().times(remaining);
      long gone = share.pool().meter().capacity() - start - used(share.pool(), draw.key());
      if (gone > 0) {
        memory.owe(share.pool(), draw.key(), gone);
        memory.owe(share.settled(), draw.key(), gone);
      }
    }
  }

  /** Notes how windows stood when the store was heard. */
  void heard(List<Draw> draws, Taking taking) {
    for (int i = 0; i < draws.size(); i++) {
      Draw draw = draws.get(i);
      Standing standing = taking.standings().get(i);
      if (standing.answered() && isWindow(draw.pool())) {
        long now = time.micros();
        long until = now + standing.resetMicros();
        lastSeen.note(draw.pool(), draw.key(), standing.remaining(), until, now);
      }
    }
  }

  // ---- what is owed

  @Override
  public boolean any() {
    long until = owingUntil.get();
    return until != Long.MIN_VALUE && time.micros() < until;
  }

  @Override
  public long owed(Pool pool, Key key) {
    if (pool.meter().limit().algorithm() == Algorithm.CONCURRENCY) {
      return 0;
    }
    Share share = shares.last(pool, key);
    long taken = memory.taken(share.pool(), key);
    return taken == 0 ? 0 : Math.max(0, taken - used(share.settled(), key));
  }

  @Override
  public void paid(Pool pool, Key key, long amount, boolean inFull) {
    Share share = shares.last(pool, key);
    memory.owe(share.settled(), key, amount);
    if (inFull) {
      memory.owe(share.charged(), key, amount);
    }
  }

  @Override
  public long micros() {
    return time.micros();
  }

  /** What is taken from a key's bucket, be it one that it shares as memory is full. */
  private long used(Pool share, Key key) {
    Draw look = new Draw(share, key, 0, Mode.SHADOW, Draw.Intent.LOOK);
    long remaining = memory.takeNow(List.of(look)).standings().get(0).remaining();
    return share.meter().capacity() - remaining;
  }

  // ---- putting right what was decided here

  /** What came of settling here, and what the store has to give back because of it. */
  record Settled(Settlement came, List<Overpaid> overpaid) {}

  /**
   * Settles parts that were decided here. What they give back is first what is still owed; the rest
   * the store was told of, and gets it back, unless it is away: then it counts here alone, and
   * covers what is let through next.
   *
   * @param away whether the store is known not to answer for a bucket
   */
  synchronized Settled settle(
      long reservation, List<Held> parts, Term term, BiPredicate<Pool, Key> away) {
    List<Held> here = here(parts);
    long[] before =
        here.stream().mapToLong(part -> memory.taken(part.pool(), part.key())).toArray();
    // Another name for the mark: rules of this instance alone settle in the same memory.
    Settlement came = memory.settle(~reservation, here, term).toCompletableFuture().join();
    List<Overpaid> overpaid = new ArrayList<>();
    for (int i = 0; came == Settlement.DONE && i < here.size(); i++) {
      Held part = parts.get(i);
      if (part.owed() < part.amount() && !away.test(part.pool(), part.key())) {
        overpaid.addAll(overpaid(part, before[i]));
      }
    }
    return new Settled(came, overpaid);
  }

  /** Takes off the books what was told of a part and came back. */
  private List<Overpaid> overpaid(Held part, long before) {
    Key key = part.key();
    Share share = shares.last(part.pool(), key);
    long settled = used(share.settled(), key);
    long over = Math.min(settled, before) - Math.min(settled, memory.taken(share.pool(), key));
    long charged = memory.taken(share.charged(), key);
    long left = Math.min(over, Math.min(part.amount() - part.owed(), charged));
    List<Overpaid> overpaid = new ArrayList<>();
    long[] windows = Overpaid.windows(part, time.wallMicros());
    for (int i = 0; i < windows.length && left > 0; i++) {
      long weighed = Math.min(left, takeOff(share, key, left, windows[i]));
      // Only the last window weighs all that is in it.
      long amount = i < windows.length - 1 ? left : weighed;
      if (weighed > 0) {
        overpaid.add(Overpaid.of(part, share, windows[i], amount));
      }
      left -= weighed + 1; // what is left is rounded down
    }
    return overpaid;
  }

  /** Takes so much off the books in one window; returns what that weighed. */
  private long takeOff(Share share, Key key, long amount, long window) {
    long before = memory.taken(share.charged(), key);
    for (Pool books : List.of(share.settled(), share.charged())) {
      memory.giveBack(0, List.of(new Held(books, key, amount, 0, new Stamp(window, 0))));
    }
    return before - memory.taken(share.charged(), key);
  }

  CompletionStage<Settlement> release(long reservation, List<Held> parts) {
    return memory.release(reservation, here(parts));
  }

  CompletionStage<Settlement> renew(long reservation, List<Held> parts) {
    return memory.renew(reservation, here(parts));
  }

  private List<Held> here(List<Held> parts) {
    List<Held> here = new ArrayList<>(parts.size());
    for (Held part : parts) {
      Pool share = shares.last(part.pool(), part.key()).pool();
      here.add(new Held(share, part.key(), part.amount(), part.owed(), part.stamp()));
    }
    return here;
  }

  /** Shares of pools that are gone need not be remembered; what was taken from them is. */
  void rulesChanged() {
    shares.forget();
  }
}
