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
  private final BucketAccess[] visits;

  /** The segments of all visits, each once, by their order; filled up with null. */
  private final Segment[] segments;

  private MultiBucketAccess(MemoryStore store, List<Draw> draws, BucketAccess[] visits) {
    this.store = store;
    this.draws = draws;
    this.visits = visits;
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
    for (int i = 0; i < visits.length; i++) {
      any |= !visits[i].hasOwn() && store.isCapped(draws.get(i));
    }
    return any;
  }

  /** The draws to make after {@link #findCapped} has found some; all of them have asked. */
  List<Draw> withinCap() {
    List<Draw> within = new ArrayList<>(draws.size());
    for (int i = 0; i < visits.length; i++) {
      Draw draw = draws.get(i);
      within.add(visits[i].isNew() ? store.withinCap(draw) : draw.withoutKeyCheck());
    }
    return within;
  }

  /** Brings every visited cell to the present; returns the monotonic time. */
  long open(long moment) {
    long now = moment;
    long wall = Long.MIN_VALUE;
    for (BucketAccess visit : visits) {
      now = store.monotonic(visit.segment, now);
      if (visit.onWallClock() && wall == Long.MIN_VALUE) {
        wall = store.time().wallMicros();
      }
    }
    for (BucketAccess visit : visits) {
      visit.open(now, visit.onWallClock() ? wall : now);
    }
    return now;
  }

  /** Takes from all or from none. */
  TakeResult decide(long reservation, boolean stamped, long now) {
    boolean taken = true;
    for (int i = 0; i < visits.length; i++) {
      taken &= visits[i].judge(draws.get(i));
    }
    for (int i = 0; i < visits.length; i++) {
      visits[i].act(draws.get(i), taken, reservation);
    }
    return new TakeResult(taken, standings(), stamped && taken ? stamps(now) : List.of());
  }

  private List<LimitStatus> standings() {
    LimitStatus[] standings = new LimitStatus[visits.length];
    for (int i = 0; i < visits.length; i++) {
      standings[i] = visits[i].standing(draws.get(i));
    }
    return List.of(standings);
  }

  private List<TakeReceipt> stamps(long now) {
    List<TakeReceipt> stamps = new ArrayList<>(visits.length);
    for (BucketAccess visit : visits) {
      stamps.add(visit.stamp(now));
    }
    return stamps;
  }
}
