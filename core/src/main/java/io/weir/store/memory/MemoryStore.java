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
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A store in the memory of this process: a table of {@link Segment}s, bounded in keys and bytes.
 *
 * <p>A bucket that is full again needs no state, so the table drops it: some with every new key
 * when there is no room, and all in time by sweeps. When only buckets in use are left, new keys of
 * a pool share {@value #OVERFLOW} overflow buckets. So a flood of invented keys neither takes more
 * memory nor resets a limited key. Every rule has a share of the table that a flood under another
 * rule leaves free; see {@link TableShares}.
 */
public final class MemoryStore implements Store {
  /** The default maximum of keys. */
  public static final long DEFAULT_MAX_KEYS = 1_000_000;

  static final int OVERFLOW = 1024;
  private static final int MAX_SEGMENTS = OVERFLOW;
  private static final int KEYS_PER_SEGMENT = 4096;
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
  private final SettledReservations settled;
  private final TableSweeper sweeper;
  private volatile @Nullable NewKeyPolicy newKeyPolicy;

  private MemoryStore(Builder builder) {
    this.time = builder.time;
    this.steady = time.steady();
    this.usage = new TableUsage(builder.maxBytes, BYTES_PER_KEY * builder.maxKeys / 4);
    this.shares = new TableShares(builder.maxKeys);
    long wanted = Math.min(MAX_SEGMENTS, Math.max(1, builder.maxKeys / KEYS_PER_SEGMENT));
    int count = (int) Long.highestOneBit(wanted);
    this.segmentShift = Long.SIZE - Integer.numberOfTrailingZeros(count);
    PackedTime packedTime = new PackedTime(time.micros());
    int fullSlots = (int) Math.min(1 << 24, builder.maxKeys / count * 121 / 100);
    this.segments = new Segment[count];
    for (int i = 0; i < count; i++) {
      segments[i] = new Segment(i, fullSlots, meterIds, packedTime, usage, shares);
    }
    this.settled = new SettledReservations(time, builder.maxKeys);
    this.sweeper = new TableSweeper(segments, settled, shares, time);
    this.capacity = new TableCapacity(shares, usage, time, sweeper::sweepSoon);
  }

  /** A store for up to {@link #DEFAULT_MAX_KEYS} keys. */
  public static MemoryStore create() {
    return builder().build();
  }

  public static Builder builder() {
    return new Builder();
  }

  /** The number of keys stored now. */
  public long keys() {
    return shares.keys();
  }

  /** Heap bytes in use for state, to within a few per cent. */
  public long bytes() {
    return usage.bytes() + settled.bytes();
  }

  /** The number of draws from overflow buckets, made because there was no room for a key. */
  public long overflowed() {
    return capacity.overflowed();
  }

  /** An allocation-free path to one pool, for callers that have a key's hashes. */
  public PoolFastPath fastPath(Pool pool) {
    return new PoolFastPath(this, bind(pool));
  }

  /** This table's binding of a pool, attached to the pool, which is rarely used with two tables. */
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
    // With one segment the shift is by 64, which Java treats as 0; hence the mask.
    return segments[(int) (high >>> segmentShift) & (segments.length - 1)];
  }

  TimeSource time() {
    return time;
  }

  /**
   * The time of a decision, for the holder of a segment's lock: never before the time of an earlier
   * holder.
   */
  long monotonic(Segment segment, long now) {
    if (!steady) {
      return now;
    }
    long monotonic = Math.max(now, segment.latest);
    segment.latest = monotonic;
    return monotonic;
  }

  TableCapacity capacity() {
    return capacity;
  }

  /** The overflow bucket for a key: one of 1,024 per pool, in the key's own segment. */
  long overflowLow(long high, long low, PoolBinding binding) {
    int perSegment = OVERFLOW / segments.length;
    long segment = (high >>> segmentShift) & (segments.length - 1);
    long bucket = segment * perSegment + (low & (perSegment - 1));
    return binding.saltLow() ^ ((bucket + 1) * GOLDEN);
  }

  /**
   * Reserves a share of the table for each of these rules from now on. Other rules get one with
   * their first key.
   */
  public void reserveShares(Collection<String> rules) {
    shares.reserveShares(rules);
  }

  /** Sets the policy for keys without a bucket; applies to draws with a call. */
  public void newKeyPolicy(NewKeyPolicy policy) {
    this.newKeyPolicy = policy;
  }

  /** Whether a key has its own bucket. */
  public boolean holds(Pool pool, Key key) {
    BucketAccess access = new BucketAccess(this, pool, key, true);
    access.segment.lock();
    try {
      return access.hasOwn();
    } finally {
      access.segment.unlock();
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

  /** As {@link #take}, synchronously. */
  public TakeResult takeSync(List<Draw> draws) {
    return decide(0, draws, false);
  }

  @Override
  public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
    return CompletableFuture.completedFuture(decide(reservation, draws, true));
  }

  private TakeResult decide(long reservation, List<Draw> draws, boolean withReceipts) {
    return draws.size() == 1
        ? decideOne(reservation, draws.get(0), withReceipts)
        : decideAll(reservation, draws, withReceipts);
  }

  /** As {@link #decideAll} for a call with a single limit, which is the usual case. */
  private TakeResult decideOne(long reservation, Draw draw, boolean withReceipts) {
    PoolBinding binding = bind(draw.pool());
    long high = binding.high(draw.key().high());
    long low = binding.low(draw.key().low());
    Segment segment = segmentOf(high);
    long moment = time.micros();
    long now;
    TakeResult result = null;
    segment.lock();
    try {
      now = monotonic(segment, moment);
      int slot = segment.find(high, low);
      if (slot >= 0
          && isPlain(draw, binding, withReceipts)
          && segment.isWrittenUnder(slot, binding)) {
        result = takeInPlace(segment, slot, binding.bucket(), now, draw);
      } else if (slot >= 0 || !isCapped(draw)) {
        result = decideLocked(reservation, draw, withReceipts, now, slot);
      }
    } finally {
      segment.unlock();
    }
    if (result == null) {
      return decideOne(reservation, withinCap(draw), withReceipts);
    }
    sweepIfDue(now);
    return result;
  }

  private static boolean isPlain(Draw draw, PoolBinding binding, boolean withReceipts) {
    return binding.bucket() != null && draw.isPlain() && !withReceipts;
  }

  /** Whether a draw needs the new-key check if its key has no bucket. */
  boolean isCapped(Draw draw) {
    return draw.call() != null && newKeyPolicy != null;
  }

  /** The draw after the new-key check of a key without a bucket. */
  Draw withinCap(Draw draw) {
    NewKeyPolicy policy = newKeyPolicy;
    return (policy == null ? draw : policy.capped(draw)).withoutKeyCheck();
  }

  /** Decides a draw from a token bucket directly in its slot. */
  private static TakeResult takeInPlace(
      Segment segment, int slot, BucketMeter bucket, long now, Draw draw) {
    long after = segment.takeInPlace(slot, bucket, now, draw.amount());
    boolean admitted = after >= 0;
    long used = admitted ? after : -1 - after;
    LimitStatus status =
        draw.statusBuilder()
            .allowed(admitted)
            .remaining(bucket.remaining(used))
            .reset(bucket.reset(used))
            .retryAfter(admitted ? 0 : bucket.retryAfter(used, draw.amount()))
            .build();
    return new TakeResult(admitted || draw.mode() != Mode.ENFORCE, List.of(status), List.of());
  }

  /** Decides a draw from any bucket; its segment is locked. */
  private TakeResult decideLocked(
      long reservation, Draw draw, boolean withReceipts, long now, int slot) {
    BucketAccess access = BucketAccess.alone(this, draw, slot);
    access.open(now, access.onWallClock() ? time.wallMicros() : now);
    boolean taken = access.evaluate(draw);
    access.apply(draw, taken, reservation);
    List<TakeReceipt> receipts = withReceipts && taken ? List.of(access.receipt(now)) : List.of();
    return new TakeResult(taken, List.of(access.status(draw)), receipts);
  }

  private TakeResult decideAll(long reservation, List<Draw> draws, boolean withReceipts) {
    MultiBucketAccess accesses = MultiBucketAccess.of(this, draws);
    long moment = time.micros();
    TakeResult result = null;
    long now = moment;
    accesses.lock();
    try {
      if (newKeyPolicy == null || !accesses.findCapped()) {
        now = accesses.open(moment);
        result = accesses.decide(reservation, withReceipts, now);
      }
    } finally {
      accesses.unlock();
    }
    if (result == null) {
      return decideAll(reservation, accesses.withinCap(), withReceipts);
    }
    sweepIfDue(now);
    return result;
  }

  /** Brings a bucket to the present; returns the monotonic time. */
  private long open(BucketAccess access) {
    long now = monotonic(access.segment, time.micros());
    access.open(now, access.onWallClock() ? time.wallMicros() : now);
    return now;
  }

  @Override
  public CompletionStage<SettlementResult> settle(
      long reservation, List<ReservedPart> parts, SettlementTerms terms) {
    if (!settled.mark(reservation, parts, terms)) {
      return CompletableFuture.completedFuture(SettlementResult.ALREADY);
    }
    for (ReservedPart part : parts) {
      change(part.pool(), part.key(), access -> access.settle(part));
    }
    return CompletableFuture.completedFuture(SettlementResult.DONE);
  }

  /**
   * Gives back the amounts of a call that was refused elsewhere. Needs no settled marker, as only
   * this call knows the reservation.
   */
  public void giveBack(long reservation, List<ReservedPart> parts) {
    for (ReservedPart part : parts) {
      change(part.pool(), part.key(), access -> access.settle(part));
    }
    release(reservation, parts);
  }

  @Override
  public CompletionStage<SettlementResult> release(long reservation, List<ReservedPart> parts) {
    return eachPermit(parts, access -> access.release(reservation));
  }

  @Override
  public CompletionStage<SettlementResult> renew(long reservation, List<ReservedPart> parts) {
    return eachPermit(parts, access -> access.renew(reservation));
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
    change(pool, key, access -> access.refund(amount));
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletionStage<SettlementResult> reset(Pool pool, Key key) {
    remove(pool, key);
    return CompletableFuture.completedFuture(SettlementResult.DONE);
  }

  /** Removes a key's own bucket. A key in an overflow bucket has none: others share that. */
  public void remove(Pool pool, Key key) {
    BucketAccess access = new BucketAccess(this, pool, key, false);
    access.segment.lock();
    try {
      access.remove();
    } finally {
      access.segment.unlock();
    }
  }

  /** Charges an amount that was admitted elsewhere. */
  public void chargeDebt(Pool pool, Key key, long amount) {
    change(pool, key, access -> access.chargeDebt(amount));
  }

  /**
   * The amount taken from a key's own bucket; 0 for a key in an overflow bucket, whose usage is
   * mostly that of other keys.
   */
  public long taken(Pool pool, Key key) {
    BucketAccess access = new BucketAccess(this, pool, key, true);
    access.segment.lock();
    try {
      if (!access.hasOwn()) {
        return 0;
      }
      open(access);
      return access.taken();
    } finally {
      access.segment.unlock();
    }
  }

  /** Changes one bucket. For a bucket that was dropped, only a charge has an effect. */
  private boolean change(Pool pool, Key key, Predicate<BucketAccess> change) {
    BucketAccess access = new BucketAccess(this, pool, key, false);
    access.segment.lock();
    try {
      open(access);
      boolean changed = change.test(access);
      access.save();
      return changed;
    } finally {
      access.segment.unlock();
    }
  }

  @Override
  public CompletionStage<List<String>> describe(List<Draw> draws) {
    List<String> texts = new ArrayList<>(draws.size());
    for (Draw draw : draws) {
      boolean asks = isCapped(draw) && !holds(draw.pool(), draw.key());
      Key key = asks ? withinCap(draw).key() : draw.key();
      BucketAccess access = new BucketAccess(this, draw.pool(), key, true);
      access.segment.lock();
      try {
        open(access);
        texts.add(access.describe(draw));
      } finally {
        access.segment.unlock();
      }
    }
    return CompletableFuture.completedFuture(texts);
  }

  /**
   * Drops every idle key and frees its memory. Also happens in the background, one segment at a
   * time.
   */
  public void sweep() {
    sweeper.sweepAll();
  }

  /** Sweeps the next segment if it is due; no lock may be held. */
  void sweepIfDue(long now) {
    sweeper.sweepIfDue(now);
  }

  /** Does nothing: the state is garbage collected with the object. */
  @Override
  public void close() {}

  /** Settings of a memory store: its maximum size and its clock. */
  public static final class Builder {
    private long maxKeys = DEFAULT_MAX_KEYS;
    private long maxBytes;
    private TimeSource time = SystemTime.INSTANCE;

    private Builder() {}

    /**
     * The maximum number of keys with their own bucket. The markers of settled reservations come on
     * top, at most twice this number.
     */
    public Builder maxKeys(long maxKeys) {
      if (maxKeys < 1) {
        throw new IllegalArgumentException("maxKeys must be at least 1, not " + maxKeys);
      }
      this.maxKeys = maxKeys;
      return this;
    }

    /** The approximate maximum of bytes for state; also bounds the number of keys. */
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
