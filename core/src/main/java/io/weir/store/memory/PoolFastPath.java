package io.weir.store.memory;

import io.weir.limit.BucketMeter;
import io.weir.limit.LimitState;
import io.weir.limit.Meter;
import org.jspecify.annotations.Nullable;

/**
 * The shortest path to a decision: one pool of a memory store, for callers with a key's fingerprint
 * that need only yes or no. Allocates nothing.
 */
public final class PoolFastPath {
  private final MemoryStore store;
  private final PoolBinding binding;
  private final Meter meter;
  private final @Nullable BucketMeter bucket;

  PoolFastPath(MemoryStore store, PoolBinding binding) {
    this.store = store;
    this.binding = binding;
    this.meter = binding.meter();
    this.bucket = binding.bucket();
  }

  /** Whether the key's fixed hash is required, as windows take their phase from it. */
  public boolean needsHash() {
    return meter.hasPhase();
  }

  /**
   * Takes {@code cost} if the bucket admits it at once.
   *
   * @param moment the time on the monotonic clock, in µs; best read just before the call, when the
   *     key is known. Reading the clock waits for all earlier loads. Read between the key and its
   *     bucket, it lets the processor load the bucket and whatever follows the decision, such as
   *     the next key, in parallel; read before the key or after the bucket, one after the other
   * @param keyHigh the upper half of the key's fingerprint
   * @param keyLow the lower half
   * @param keyHash the key's fixed hash if {@link #needsHash}
   */
  public boolean tryTake(long moment, long keyHigh, long keyLow, long keyHash, long cost) {
    long high = binding.high(keyHigh);
    long low = binding.low(keyLow);
    Segment segment = store.segmentOf(high);
    long now;
    boolean admitted;
    segment.lock();
    try {
      now = store.monotonic(segment, moment);
      int slot = segment.find(high, low);
      admitted =
          (bucket != null && slot >= 0 && segment.isWrittenUnder(slot, binding))
              ? segment.takeInPlace(slot, bucket, now, cost) >= 0
              : takeByState(segment, slot, high, low, keyHash, now, cost);
    } finally {
      segment.unlock();
    }
    store.sweepIfDue(now);
    return admitted;
  }

  /** The path for all algorithms, for new keys, and for keys written under other numbers. */
  private boolean takeByState(
      Segment segment, int found, long keyHigh, long keyLow, long keyHash, long now, long cost) {
    long high = keyHigh;
    long low = keyLow;
    long phase = keyHash;
    int slot = found;
    if (slot < 0 && store.capacity().isFullFor(binding.share(), segment, now)) {
      low = store.overflowLow(high, low, binding);
      high = TableShares.overflow(binding.saltHigh());
      slot = segment.find(high, low);
      // An overflow bucket has its own window phase; otherwise keys of many phases would end its
      // windows at any time.
      phase = low;
    }
    LimitState state = segment.state;
    if (slot >= 0) {
      segment.load(slot, binding, state);
    } else {
      state.clear();
    }
    state.frugal = store.capacity().isShortOfBytes();
    long at = meter.onWallClock() ? store.time().wallMicros() : now;
    meter.open(state, at, phase);
    boolean admitted = meter.admits(state, at, cost) && (cost == 0 || meter.delay(state) == 0);
    if (admitted) {
      meter.take(state, at, cost, 0);
    }
    if (slot >= 0 && meter instanceof BucketMeter && !(admitted && cost > 0)) {
      segment.keepUnchanged(slot, binding, state, at);
    } else if (slot >= 0) {
      segment.save(slot, binding, state);
    } else if (admitted && cost > 0) {
      segment.insert(high, low, binding, state, now, store.time().wallMicros());
    }
    return admitted;
  }
}
