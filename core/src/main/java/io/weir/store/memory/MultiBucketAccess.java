package io.weir.store.memory;

import io.weir.LimitStatus;
import io.weir.limit.TakeReceipt;
import io.weir.store.Draw;
import io.weir.store.TakeResult;
import java.util.ArrayList;
import java.util.List;

/**
 * The visits of a call that meets several limits: all its buckets at one moment, so that all are
 * taken from or none.
 */
final class MultiBucketAccess {
  private final MemoryStore store;
  private final List<Draw> draws;
  private final BucketAccess[] accesses;

  /** The segments of all visits, each once, by their order; filled up with null. */
  private final Segment[] segments;

  private MultiBucketAccess(MemoryStore store, List<Draw> draws, BucketAccess[] visits) {
    this.store = store;
    this.draws = draws;
    this.accesses = visits;
    this.segments = segmentsOf(visits);
  }

  static MultiBucketAccess of(MemoryStore store, List<Draw> draws) {
    BucketAccess[] visits = new BucketAccess[draws.size()];
    for (int i = 0; i < visits.length; i++) {
      Draw draw = draws.get(i);
      visits[i] = new BucketAccess(store, draw.pool(), draw.key(), draw.isLook());
    }
    return new MultiBucketAccess(store, draws, visits);
  }

  private static Segment[] segmentsOf(BucketAccess[] visits) {
    Segment[] segments = new Segment[visits.length];
    int count = 0;
    for (BucketAccess visit : visits) {
      int at = count;
      while (at > 0 && segments[at - 1].order > visit.segment.order) {
        at--;
      }
      if (at == 0 || segments[at - 1] != visit.segment) {
        System.arraycopy(segments, at, segments, at + 1, count - at);
        segments[at] = visit.segment;
        count++;
      }
    }
    return segments;
  }

  /** Locks all segments, always in the same order, so that nobody waits in a circle. */
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

  /** Whether a key has no bucket and has to ask before it gets one. */
  boolean findCapped() {
    boolean any = false;
    for (int i = 0; i < accesses.length; i++) {
      any |= !accesses[i].hasOwn() && store.isCapped(draws.get(i));
    }
    return any;
  }

  /** The draws to make after {@link #findCapped} has found some; all of them have asked. */
  List<Draw> withinCap() {
    List<Draw> within = new ArrayList<>(draws.size());
    for (int i = 0; i < accesses.length; i++) {
      Draw draw = draws.get(i);
      within.add(accesses[i].isNew() ? store.withinCap(draw) : draw.withoutKeyCheck());
    }
    return within;
  }

  /** Brings every visited cell to the present; returns the monotonic time. */
  long open(long moment) {
    long now = moment;
    long wall = Long.MIN_VALUE;
    for (BucketAccess visit : accesses) {
      now = store.monotonic(visit.segment, now);
      if (visit.onWallClock() && wall == Long.MIN_VALUE) {
        wall = store.time().wallMicros();
      }
    }
    for (BucketAccess visit : accesses) {
      visit.open(now, visit.onWallClock() ? wall : now);
    }
    return now;
  }

  /** Takes from all or from none. */
  TakeResult decide(long reservation, boolean stamped, long now) {
    boolean taken = true;
    for (int i = 0; i < accesses.length; i++) {
      taken &= accesses[i].evaluate(draws.get(i));
    }
    for (int i = 0; i < accesses.length; i++) {
      accesses[i].apply(draws.get(i), taken, reservation);
    }
    return new TakeResult(taken, statuses(), stamped && taken ? receipts(now) : List.of());
  }

  private List<LimitStatus> statuses() {
    LimitStatus[] standings = new LimitStatus[accesses.length];
    for (int i = 0; i < accesses.length; i++) {
      standings[i] = accesses[i].status(draws.get(i));
    }
    return List.of(standings);
  }

  private List<TakeReceipt> receipts(long now) {
    List<TakeReceipt> stamps = new ArrayList<>(accesses.length);
    for (BucketAccess visit : accesses) {
      stamps.add(visit.receipt(now));
    }
    return stamps;
  }
}
