package io.weir.store.memory;

import io.weir.Key;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.SettlementResult;
import io.weir.limit.BucketMeter;
import io.weir.limit.PermitMeter;
import io.weir.limit.TakeReceipt;
import io.weir.store.Draw;
import io.weir.store.NewKeyPolicy;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.SettlementTerms;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import io.weir.time.SystemTime;
import io.weir.time.TimeSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All state in this process: a table of {@link Segment}s, bounded in keys and bytes.
 *
 * <p>A bucket that has become full again is as good as forgotten, so the table forgets it: a little
 * with every key that comes when there is no room, and all of it as time goes by. When only buckets
 * in use are left, newcomers of a pool share {@value #OVERFLOW} buckets, so a flood of invented
 * keys neither takes more memory nor frees a key that is limited. Every rule has a share of the
 * table that a flood under another one leaves free; see {@link TableShares}.
 */
public final class MemoryStore implements Store {
  /** Keys that a store made without saying more can hold. */
  public static final long DEFAULT_MAX_KEYS = 1_000_000;

  static final int OVERFLOW = 1024;
  private static final int MAX_SEGMENTS = OVERFLOW;
  private static final int KEYS_PER_SEGMENT = 4096;
  private static final long SWEEP_ALL_MICROS = 10_000_000;
  private static final long BYTES_PER_KEY = 40;
  private static final long GOLDEN = 0x9e3779b97f4a7c15L;

  private final TimeSource time;
  private final boolean steady;
  private final Segment[] segments;
  private final int segmentShift;
  private final MeterIds meterIds = new MeterIds();
  private final TableUsage usage;
  private final TableShares shares;
  private final TableCapacity capacity;
  private final long sweepEvery;
  private final AtomicLong nextSweep;
  private final AtomicInteger sweepNext = new AtomicInteger();
  private final SettledReservations settled;
  private volatile @Nullable NewKeyPolicy newKeyCap;

  private MemoryStore(Builder builder) {
    this.time = builder.time;
    this.steady = time.steady();
    this.usage = new TableUsage(builder.maxBytes, BYTES_PER_KEY * builder.maxKeys / 4);
    this.shares = new TableShares(builder.maxKeys);
    this.capacity = new TableCapacity(shares, usage, time, this::sweepSoon);
    long wanted = Math.min(MAX_SEGMENTS, Math.max(1, builder.maxKeys / KEYS_PER_SEGMENT));
    int count = (int) Long.highestOneBit(wanted);
    this.segmentShift = Long.SIZE - Integer.numberOfTrailingZeros(count);
    PackedTime eras = new PackedTime(time.micros());
    int fullSlots = (int) Math.min(1 << 24, builder.maxKeys / count * 121 / 100);
    this.segments = new Segment[count];
    for (int i = 0; i < count; i++) {
      segments[i] = new Segment(i, fullSlots, meterIds, eras, usage, shares);
    }
    this.settled = new SettledReservations(time, builder.maxKeys);
    this.sweepEvery = SWEEP_ALL_MICROS / count;
    this.nextSweep = new AtomicLong(time.micros() + sweepEvery);
  }

  /** A store for up to {@link #DEFAULT_MAX_KEYS} keys. */
  public static MemoryStore create() {
    return builder().build();
  }

  public static Builder builder() {
    return new Builder();
  }

  /** How many keys are remembered now. */
  public long keys() {
    return shares.keys();
  }

  /** Heap bytes in use for state, to within a few per cent. */
  public long bytes() {
    return usage.bytes() + settled.bytes();
  }

  /** How many draws were made from overflow buckets because there was no room for a key. */
  public long overflowed() {
    return capacity.overflowed();
  }

  /** A door to one pool for callers that come with a key and want no objects. */
  public PoolFastPath fastPath(Pool pool) {
    return new PoolFastPath(this, bind(pool));
  }

  /** This table's view of a pool, kept with the pool, which hardly ever serves two tables. */
  PoolBinding bind(Pool pool) {
    if (pool.attachment() instanceof PoolBinding known && known.meterIds() == meterIds) {
      return known;
    }
    PoolBinding made =
        PoolBinding.of(
            meterIds, shares.of(pool.rule()), pool.meter(), pool.saltHigh(), pool.saltLow());
    pool.attach(made);
    return made;
  }

  Segment segmentOf(long high) {
    // With one segment the shift is by 64, which is a shift by 0; hence the mask.
    return segments[(int) (high >>> segmentShift) & (segments.length - 1)];
  }

  TimeSource time() {
    return time;
  }

  /**
   * The time to decide at, for the holder of a segment's lock: never before what a holder before it
   * saw.
   */
  long monotonic(Segment segment, long now) {
    if (!steady) {
      return now;
    }
    long orderly = Math.max(now, segment.latest);
    segment.latest = orderly;
    return orderly;
  }

  TableCapacity capacity() {
    return capacity;
  }

  /**
   * The shared bucket that stands in for a key: one of 1,024 per pool, in the key's own segment.
   */
  long overflowLow(long high, long low, PoolBinding binding) {
    int perSegment = OVERFLOW / segments.length;
    long segment = (high >>> segmentShift) & (segments.length - 1);
    long bucket = segment * perSegment + (low & (perSegment - 1));
    return binding.saltLow() ^ ((bucket + 1) * GOLDEN);
  }

  /**
   * Keeps a share of the table for each of these rules from now on. Other rules have one from their
   * first key on.
   */
  public void reserveShares(Collection<String> rules) {
    shares.reserveShares(rules);
  }

  /** Asks this cap about keys without a bucket, for draws that say what call they are made for. */
  public void newKeyCap(NewKeyPolicy cap) {
    this.newKeyCap = cap;
  }

  /** Whether a key has a bucket of its own. */
  public boolean holds(Pool pool, Key key) {
    BucketAccess visit = new BucketAccess(this, pool, key, true);
    visit.segment.lock();
    try {
      return visit.hasOwn();
    } finally {
      visit.segment.unlock();
    }
  }

  /** Takes a single draw; true if it was admitted. */
  public boolean tryTake(Draw draw) {
    return decideOne(0, draw, false).taken();
  }

  // ---- the store contract

  @Override
  public CompletionStage<TakeResult> take(List<Draw> draws) {
    return CompletableFuture.completedFuture(takeSync(draws));
  }

  /** As {@link #take}, for callers that know there is nothing to wait for. */
  public TakeResult takeSync(List<Draw> draws) {
    return decide(0, draws, false);
  }

  @Override
  public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
    return CompletableFuture.completedFuture(decide(reservation, draws, true));
  }

  private TakeResult decide(long reservation, List<Draw> draws, boolean stamped) {
    return draws.size() == 1
        ? decideOne(reservation, draws.get(0), stamped)
        : decideAll(reservation, draws, stamped);
  }

  /** What {@link #decideAll} does, for a call that meets a single limit, as most do. */
  private TakeResult decideOne(long reservation, Draw draw, boolean stamped) {
    PoolBinding binding = bind(draw.pool());
    long high = binding.high(draw.key().high());
    long low = binding.low(draw.key().low());
    Segment segment = segmentOf(high);
    long moment = time.micros();
    long now;
    TakeResult taking = null;
    segment.lock();
    try {
      now = monotonic(segment, moment);
      int slot = segment.find(high, low);
      if (slot >= 0 && isPlain(draw, binding, stamped) && segment.isWrittenUnder(slot, binding)) {
        taking = takeInPlace(segment, slot, binding.bucket(), now, draw);
      } else if (slot >= 0 || !isCapped(draw)) {
        taking = decideLocked(reservation, draw, stamped, now, slot);
      }
    } finally {
      segment.unlock();
    }
    if (taking == null) {
      return decideOne(reservation, withinCap(draw), stamped);
    }
    sweepIfDue(now);
    return taking;
  }

  private static boolean isPlain(Draw draw, PoolBinding binding, boolean stamped) {
    return binding.bucket() != null && draw.isPlain() && !stamped;
  }

  /** Whether a draw has to ask before its key gets a bucket. */
  boolean isCapped(Draw draw) {
    return draw.call() != null && newKeyCap != null;
  }

  /** The draw to make for one whose key has no bucket; has asked. */
  Draw withinCap(Draw draw) {
    NewKeyPolicy cap = newKeyCap;
    return (cap == null ? draw : cap.capped(draw)).withoutKeyCheck();
  }

  /** Decides a draw from a token bucket where it lies. */
  private static TakeResult takeInPlace(
      Segment segment, int slot, BucketMeter bucket, long now, Draw draw) {
    long after = segment.takeInPlace(slot, bucket, now, draw.amount());
    boolean admitted = after >= 0;
    long used = admitted ? after : -1 - after;
    LimitStatus standing =
        draw.statusBuilder()
            .allowed(admitted)
            .remaining(bucket.remaining(used))
            .reset(bucket.reset(used))
            .retryAfter(admitted ? 0 : bucket.retryAfter(used, draw.amount()))
            .build();
    return new TakeResult(admitted || draw.mode() != Mode.ENFORCE, List.of(standing), List.of());
  }

  /** Decides a draw from any bucket; its segment is locked. */
  private TakeResult decideLocked(
      long reservation, Draw draw, boolean stamped, long now, int slot) {
    BucketAccess visit = BucketAccess.alone(this, draw, slot);
    visit.open(now, visit.onWallClock() ? time.wallMicros() : now);
    boolean taken = visit.evaluate(draw);
    visit.apply(draw, taken, reservation);
    List<TakeReceipt> stamps = stamped && taken ? List.of(visit.receipt(now)) : List.of();
    return new TakeResult(taken, List.of(visit.status(draw)), stamps);
  }

  private TakeResult decideAll(long reservation, List<Draw> draws, boolean stamped) {
    MultiBucketAccess visits = MultiBucketAccess.of(this, draws);
    long moment = time.micros();
    TakeResult taking = null;
    long now = moment;
    visits.lock();
    try {
      if (newKeyCap == null || !visits.findCapped()) {
        now = visits.open(moment);
        taking = visits.decide(reservation, stamped, now);
      }
    } finally {
      visits.unlock();
    }
    if (taking == null) {
      return decideAll(reservation, visits.withinCap(), stamped);
    }
    sweepIfDue(now);
    return taking;
  }

  /** Brings the visited cell to the present; returns the monotonic time. */
  private long open(BucketAccess visit) {
    long now = monotonic(visit.segment, time.micros());
    visit.open(now, visit.onWallClock() ? time.wallMicros() : now);
    return now;
  }

  @Override
  public CompletionStage<SettlementResult> settle(
      long reservation, List<ReservedPart> parts, SettlementTerms term) {
    if (!settled.mark(reservation, parts, term)) {
      return CompletableFuture.completedFuture(SettlementResult.ALREADY);
    }
    for (ReservedPart part : parts) {
      change(part.pool(), part.key(), visit -> visit.settle(part));
    }
    return CompletableFuture.completedFuture(SettlementResult.DONE);
  }

  /** Gives back at once what a call took that is refused elsewhere; nobody else knows of it. */
  public void giveBack(long reservation, List<ReservedPart> parts) {
    for (ReservedPart part : parts) {
      change(part.pool(), part.key(), visit -> visit.settle(part));
    }
    release(reservation, parts);
  }

  @Override
  public CompletionStage<SettlementResult> release(long reservation, List<ReservedPart> parts) {
    return eachPermit(parts, visit -> visit.release(reservation));
  }

  @Override
  public CompletionStage<SettlementResult> renew(long reservation, List<ReservedPart> parts) {
    return eachPermit(parts, visit -> visit.renew(reservation));
  }

  private CompletionStage<SettlementResult> eachPermit(
      List<ReservedPart> parts, Predicate<BucketAccess> change) {
    boolean any = false;
    for (ReservedPart part : parts) {
      if (part.pool().meter() instanceof PermitMeter) {
        any |= change(part.pool(), part.key(), change);
      }
    }
    return CompletableFuture.completedFuture(
        any ? SettlementResult.DONE : SettlementResult.ALREADY);
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    change(pool, key, visit -> visit.refund(amount));
    return CompletableFuture.completedFuture(null);
  }

  /** Takes what was let through elsewhere until now. */
  public void chargeDebt(Pool pool, Key key, long amount) {
    change(pool, key, visit -> visit.chargeDebt(amount));
  }

  /**
   * How much is taken from a key's own bucket. What strangers took from the one it may have to
   * share with them is nothing to it.
   */
  public long taken(Pool pool, Key key) {
    BucketAccess visit = new BucketAccess(this, pool, key, true);
    visit.segment.lock();
    try {
      if (!visit.hasOwn()) {
        return 0;
      }
      open(visit);
      return visit.taken();
    } finally {
      visit.segment.unlock();
    }
  }

  /**
   * Changes one bucket that is there; one that has been forgotten has nothing to change but a debt
   * to take.
   */
  private boolean change(Pool pool, Key key, Predicate<BucketAccess> change) {
    BucketAccess visit = new BucketAccess(this, pool, key, false);
    visit.segment.lock();
    try {
      open(visit);
      boolean changed = change.test(visit);
      visit.save();
      return changed;
    } finally {
      visit.segment.unlock();
    }
  }

  @Override
  public CompletionStage<List<String>> describe(List<Draw> draws) {
    List<String> texts = new ArrayList<>(draws.size());
    for (Draw draw : draws) {
      boolean asks = isCapped(draw) && !holds(draw.pool(), draw.key());
      Key key = asks ? withinCap(draw).key() : draw.key();
      BucketAccess visit = new BucketAccess(this, draw.pool(), key, true);
      visit.segment.lock();
      try {
        open(visit);
        texts.add(visit.describe(draw));
      } finally {
        visit.segment.unlock();
      }
    }
    return CompletableFuture.completedFuture(texts);
  }

  // ---- forgetting

  /**
   * Forgets every key that is as if never used, and gives the memory back. Happens by itself, bit
   * by bit.
   */
  public void sweep() {
    for (Segment segment : segments) {
      sweep(segment);
    }
    settled.sweep(time.micros());
  }

  /** Sweeps the next segment if it is time; no lock may be held. */
  void sweepIfDue(long now) {
    long due = nextSweep.getPlain();
    if (now >= due && nextSweep.compareAndSet(due, now + sweepEvery)) {
      sweep(segments[sweepNext.getAndIncrement() & (segments.length - 1)]);
      settled.sweep(now);
      shares.logNoRoom(now);
    }
  }

  private void sweepSoon() {
    nextSweep.set(Long.MIN_VALUE);
  }

  private void sweep(Segment segment) {
    if (segment.tryLock()) {
      try {
        segment.sweep(time.micros(), time.wallMicros());
      } finally {
        segment.unlock();
      }
    }
  }

  /** Nothing to close: the state goes with the object. */
  @Override
  public void close() {}

  /** How large a memory store may become, and whose time it runs on. */
  public static final class Builder {
    private long maxKeys = DEFAULT_MAX_KEYS;
    private long maxBytes;
    private TimeSource time = SystemTime.INSTANCE;

    private Builder() {}

    /**
     * At most this many keys have a bucket of their own. What it takes to know which reservations
     * were settled comes on top, and is bounded by twice the number.
     */
    public Builder maxKeys(long maxKeys) {
      if (maxKeys < 1) {
        throw new IllegalArgumentException("maxKeys must be at least 1, not " + maxKeys);
      }
      this.maxKeys = maxKeys;
      return this;
    }

    /** At most about this many bytes are used for state; also bounds the number of keys. */
    public Builder maxBytes(long maxBytes) {
      if (maxBytes < 1 << 16) {
        throw new IllegalArgumentException("maxBytes must be at least 64 KiB, not " + maxBytes);
      }
      this.maxBytes = maxBytes;
      this.maxKeys = maxBytes / BYTES_PER_KEY;
      return this;
    }

    public Builder time(TimeSource time) {
      this.time = time;
      return this;
    }

    public MemoryStore build() {
      if (maxBytes == 0) {
        maxBytes = Math.max(128L << 20, 2 * BYTES_PER_KEY * maxKeys);
      }
      return new MemoryStore(this);
    }
  }
}
