package io.weir.store.memory;

import io.weir.Algorithm;
import io.weir.Key;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.limit.BucketMeter;
import io.weir.limit.LimitState;
import io.weir.limit.Meter;
import io.weir.limit.PermitMeter;
import io.weir.limit.TakeReceipt;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import org.jspecify.annotations.Nullable;

/**
 * Access to one bucket of the memory table for one draw: finds the bucket, brings it to the
 * present, evaluates the draw, takes or not, and saves. The segment's lock is held from {@link
 * #open} to the end.
 */
final class BucketAccess {
  private static final int NOT_SEARCHED = Integer.MIN_VALUE;

  final PoolBinding binding;
  final Segment segment;
  final LimitState state;

  /** Whether this access must change nothing. */
  private final boolean readOnly;

  private final MemoryStore store;
  private final Pool pool;
  private final Key key;
  private final Meter meter;
  private long high;
  private long low;

  /** The bucket's slot; negative if it has none, {@link #NOT_SEARCHED} before the search. */
  private int slot = NOT_SEARCHED;

  private boolean shared;
  private boolean changed;
  private long monotonic;
  private long now;
  private boolean admitted;
  private long delay;

  /** An access with its own state object, for calls with several draws. */
  BucketAccess(MemoryStore store, Pool pool, Key key, boolean looks) {
    this(store, pool, key, looks, new LimitState());
  }

  /** An access to this slot with the segment's state object, for calls with a single draw. */
  static BucketAccess alone(MemoryStore store, Draw draw, int slot) {
    BucketAccess access = new BucketAccess(store, draw.pool(), draw.key(), draw.isLook(), null);
    access.slot = slot;
    return access;
  }

  private BucketAccess(
      MemoryStore store, Pool pool, Key key, boolean looks, @Nullable LimitState state) {
    this.readOnly = looks;
    this.store = store;
    this.pool = pool;
    this.key = key;
    this.binding = store.bind(pool);
    this.meter = binding.meter();
    this.high = binding.high(key.high());
    this.low = binding.low(key.low());
    this.segment = store.segmentOf(high);
    this.state = state == null ? segment.state : state;
  }

  boolean onWallClock() {
    return meter.onWallClock();
  }

  /** Whether the key has its own bucket; called before {@link #open}. */
  boolean hasOwn() {
    slot = segment.find(high, low);
    return slot >= 0;
  }

  /** Whether {@link #hasOwn} has found no bucket. */
  boolean isNew() {
    return slot < 0;
  }

  /**
   * Finds the bucket and brings it to the present.
   *
   * @param now the time on the limit's own clock, in µs
   */
  void open(long monotonic, long now) {
    this.monotonic = monotonic;
    this.now = now;
    // Another access of the same call may have moved it while making room.
    if (slot == NOT_SEARCHED || (slot >= 0 && !segment.isAt(slot, high, low))) {
      slot = segment.find(high, low);
    }
    if (slot < 0 && store.capacity().isFullFor(binding.share(), segment, monotonic)) {
      low = store.overflowLow(high, low, binding);
      high = TableShares.overflow(binding.saltHigh());
      slot = segment.find(high, low);
      shared = true;
    }
    if (slot >= 0) {
      segment.load(slot, binding, state);
      if (readOnly) {
        state.detach();
      }
    } else {
      state.clear();
    }
    state.frugal = store.capacity().isShortOfBytes();
    meter.open(state, now, meter.hasPhase() ? phase() : 0);
  }

  /**
   * The window phase. An overflow bucket has its own; otherwise keys of many phases would end its
   * windows at any time.
   */
  private long phase() {
    return shared ? low : key.fixedHash(pool.rule());
  }

  /** Evaluates the draw on this bucket alone; false if it is enforced and refused. */
  boolean evaluate(Draw draw) {
    delay = meter.delay(state);
    admitted = meter.admits(state, now, draw.amount()) && (delay == 0 || !isImmediate(draw));
    return admitted || draw.mode() != Mode.ENFORCE;
  }

  private static boolean isImmediate(Draw draw) {
    return draw.intent() == Draw.Intent.TAKE_NOW && draw.amount() > 0;
  }

  /** Applies the decision on the whole call. */
  void apply(Draw draw, boolean taken, long reservation) {
    if (taken && admitted && takes(draw)) {
      meter.take(state, now, draw.amount(), reservation);
      changed = draw.amount() > 0;
      save();
    } else if (countsRefusal(draw)) {
      meter.countDenied(state, now, draw.amount());
      changed = true;
      save();
    } else if (meter instanceof BucketMeter) {
      keepUnchanged();
    } else {
      save();
    }
  }

  private boolean takes(Draw draw) {
    return switch (draw.intent()) {
      case HOLD -> true;
      case TAKE, TAKE_NOW -> meter.limit().algorithm() != Algorithm.CONCURRENCY;
      case LOOK -> false;
    };
  }

  private boolean countsRefusal(Draw draw) {
    return !admitted
        && draw.pool().countDenied()
        && draw.mode() == Mode.ENFORCE
        && draw.intent() != Draw.Intent.LOOK;
  }

  /** Settles one part of a reservation. */
  boolean settle(ReservedPart part) {
    if (part.actualAmount() < part.amount()) {
      meter.giveBack(state, now, part.amount() - part.actualAmount(), part.receipt());
    } else if (part.actualAmount() > part.amount()) {
      meter.charge(state, now, part.actualAmount() - part.amount());
      changed = true;
    }
    return true;
  }

  /** Gives back an amount that was just taken. */
  boolean refund(long amount) {
    meter.refund(state, now, amount);
    return true;
  }

  /** Charges an amount that was admitted elsewhere. */
  boolean chargeDebt(long amount) {
    meter.chargeDebt(state, now, amount);
    changed = true;
    return true;
  }

  /** Releases a permit; false if it is not held. */
  boolean release(long reservation) {
    return meter instanceof PermitMeter permits && permits.release(state, reservation);
  }

  /** Renews a permit for its full life; false if it is not held. */
  boolean renew(long reservation) {
    return meter instanceof PermitMeter permits && permits.renew(state, now, reservation);
  }

  /** Removes the key's own bucket, if it has one. */
  void remove() {
    if (hasOwn()) {
      segment.remove(slot);
    }
  }

  /** Saves the state. A bucket that was never taken from is not stored. */
  void save() {
    if (readOnly || !meter.writes()) {
      return;
    }
    findAgain();
    if (slot >= 0) {
      segment.save(slot, binding, state);
    } else if (changed) {
      segment.insert(high, low, binding, state, monotonic, store.time().wallMicros());
    }
  }

  /** Keeps a bucket that nothing was taken from as it was. */
  private void keepUnchanged() {
    findAgain();
    if (!readOnly && slot >= 0) {
      segment.keepUnchanged(slot, binding, state, now);
    }
  }

  /**
   * Finds the bucket again if another access of the same call has moved it, or has evicted it
   * because it was idle.
   */
  private void findAgain() {
    if (slot >= 0 && !segment.isAt(slot, high, low)) {
      slot = segment.find(high, low);
    }
  }

  /**
   * The receipt of a take. It has the window's end as the table stores it; a give-back with another
   * one would not match.
   */
  TakeReceipt receipt(long madeAt) {
    TakeReceipt receipt =
        onWallClock()
            ? new TakeReceipt(PackedTime.rounded(state.time), state.used)
            : TakeReceipt.of(state);
    return receipt.madeAt(madeAt);
  }

  LimitStatus status(Draw draw) {
    return draw.statusBuilder()
        .allowed(admitted)
        .remaining(meter.remaining(state, now))
        .reset(meter.reset(state, now))
        .retryAfter(admitted ? 0 : retryAfter(draw))
        .delay(admitted ? delay : 0)
        .build();
  }

  /** A draw that may not be delayed has to wait until the whole backlog has drained. */
  private long retryAfter(Draw draw) {
    long retryAfter = meter.retryAfter(state, now, draw.amount());
    return retryAfter != Meter.NEVER && isImmediate(draw)
        ? Math.max(retryAfter, meter.delay(state))
        : retryAfter;
  }

  long taken() {
    return meter.capacity() - meter.remaining(state, now);
  }

  String describe(Draw draw) {
    return meter.describe(state, now, draw.amount());
  }
}
