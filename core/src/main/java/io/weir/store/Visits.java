package io.weir.store;

import io.weir.Standing;
import io.weir.limit.Stamp;
import java.util.ArrayList;
import java.util.List;

/**
 * The visits of a call that meets several limits: all its buckets at one moment, so that all are
 * taken from or none.
 */
final class Visits {
  private final MemoryStore store;
  private final List<Draw> draws;
  private final Visit[] visits;

  /** The segments of all visits, each once, by their order; filled up with null. */
  private final Segment[] segments;

  private Visits(MemoryStore store, List<Draw> draws, Visit[] visits) {
    this.store = store;
    this.draws = draws;
    this.visits = visits;
    this.segments = segmentsOf(visits);
  }

  static Visits of(MemoryStore store, List<Draw> draws) {
    Visit[] visits = new Visit[draws.size()];
    for (int i = 0; i < visits.length; i++) {
      Draw draw = draws.get(i);
      visits[i] = new Visit(store, draw.pool(), draw.key(), draw.looks());
    }
    return new Visits(store, draws, visits);
  }

  private static Segment[] segmentsOf(Visit[] visits) {
    Segment[] segments = new Segment[visits.length];
    int count = 0;
    for (Visit visit : visits) {
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
      within.add(visits[i].isNew() ? store.withinCap(draw) : draw.unasked());
    }
    return within;
  }

  /** Brings every visited cell to the present; returns the monotonic time. */
  long open(long moment) {
    long now = moment;
    long wall = Long.MIN_VALUE;
    for (Visit visit : visits) {
      now = store.orderly(visit.segment, now);
      if (visit.onWallClock() && wall == Long.MIN_VALUE) {
        wall = store.time().wallMicros();
      }
    }
    for (Visit visit : visits) {
      visit.open(now, visit.onWallClock() ? wall : now);
    }
    return now;
  }

  /** Takes from all or from none. */
  Taking decide(long reservation, boolean stamped, long now) {
    boolean taken = true;
    for (int i = 0; i < visits.length; i++) {
      taken &= visits[i].judge(draws.get(i));
    }
    for (int i = 0; i < visits.length; i++) {
      visits[i].act(draws.get(i), taken, reservation);
    }
    return new Taking(taken, standings(), stamped && taken ? stamps(now) : List.of());
  }

  private List<Standing> standings() {
    Standing[] standings = new Standing[visits.length];
    for (int i = 0; i < visits.length; i++) {
      standings[i] = visits[i].standing(draws.get(i));
    }
    return List.of(standings);
  }

  private List<Stamp> stamps(long now) {
    List<Stamp> stamps = new ArrayList<>(visits.length);
    for (Visit visit : visits) {
      stamps.add(visit.stamp(now));
    }
    return stamps;
  }
}
