package io.weir.store.memory;

import io.weir.LimitStatus;
import io.weir.limit.TakeReceipt;
import io.weir.store.Draw;
import io.weir.store.TakeResult;
import java.util.ArrayList;
import java.util.List;

/**
 * Access to all buckets of a call with several limits at one moment, so that all are taken from or
 * none.
 */
final class MultiBucketAccess {
  private final MemoryStore store;
  private final List<Draw> draws;
  private final BucketAccess[] accesses;

  /** The segments of all accesses, each once, in lock order; the rest is null. */
  private final Segment[] segments;

  private MultiBucketAccess(MemoryStore store, List<Draw> draws, BucketAccess[] accesses) {
    this.store = store;
    this.draws = draws;
    this.accesses = accesses;
    this.segments = segmentsOf(accesses);
  }

  static MultiBucketAccess of(MemoryStore store, List<Draw> draws) {
    BucketAccess[] accesses = new BucketAccess[draws.size()];
    for (int i = 0; i < accesses.length; i++) {
      Draw draw = draws.get(i);
      accesses[i] = new BucketAccess(store, draw.pool(), draw.key(), draw.isLook());
    }
    return new MultiBucketAccess(store, draws, accesses);
  }

  private static Segment[] segmentsOf(BucketAccess[] accesses) {
    Segment[] segments = new Segment[accesses.length];
    int count = 0;
    for (BucketAccess access : accesses) {
      int at = count;
      while (at > 0 && segments[at - 1].order > access.segment.order) {
        at--;
      }
      if (at == 0 || segments[at - 1] != access.segment) {
        System.arraycopy(segments, at, segments, at + 1, count - at);
        segments[at] = access.segment;
        count++;
      }
    }
    return segments;
  }

  /** Locks all segments, always in the same order, to prevent deadlock. */
  void lock() {
    for (int i = 0; i < segments.length && segments[i] != null; i++) {
      segments[i].lock();
    }
  }

  void unlock() {
    for (int i = segments.length - 1; i >= 0; i--) {
      if (segments[i] != null) {
        segments[i].unlock();
      }
    }
  }

  /** Whether a key without a bucket has to be checked against the new-key cap. */
  boolean findCapped() {
    boolean any = false;
    for (int i = 0; i < accesses.length; i++) {
      any |= !accesses[i].hasOwn() && store.isCapped(draws.get(i));
    }
    return any;
  }

  /**
   * The draws after the new-key check that {@link #findCapped} required; none needs a further
   * check.
   */
  List<Draw> withinCap() {
    List<Draw> within = new ArrayList<>(draws.size());
    for (int i = 0; i < accesses.length; i++) {
      Draw draw = draws.get(i);
      within.add(accesses[i].isNew() ? store.withinCap(draw) : draw.withoutKeyCheck());
    }
    return within;
  }

  /** Brings every bucket to the present; returns the monotonic time. */
  long open(long moment) {
    long now = moment;
    long wall = Long.MIN_VALUE;
    for (BucketAccess access : accesses) {
      now = store.monotonic(access.segment, now);
      if (access.onWallClock() && wall == Long.MIN_VALUE) {
        wall = store.time().wallMicros();
      }
    }
    for (BucketAccess access : accesses) {
      access.open(now, access.onWallClock() ? wall : now);
    }
    return now;
  }

  /** Takes from all or from none. */
  TakeResult decide(long reservation, boolean withReceipts, long now) {
    boolean taken = true;
    for (int i = 0; i < accesses.length; i++) {
      taken &= accesses[i].evaluate(draws.get(i));
    }
    for (int i = 0; i < accesses.length; i++) {
      accesses[i].apply(draws.get(i), taken, reservation);
    }
    return new TakeResult(taken, statuses(), withReceipts && taken ? receipts(now) : List.of());
  }

  private List<LimitStatus> statuses() {
    LimitStatus[] statuses = new LimitStatus[accesses.length];
    for (int i = 0; i < accesses.length; i++) {
      statuses[i] = accesses[i].status(draws.get(i));
    }
    return List.of(statuses);
  }

  private List<TakeReceipt> receipts(long now) {
    List<TakeReceipt> receipts = new ArrayList<>(accesses.length);
    for (BucketAccess access : accesses) {
      receipts.add(access.receipt(now));
    }
    return receipts;
  }
}
