package io.weir.tier;

import io.weir.Key;
import io.weir.OnFail;
import io.weir.store.Draw;
import io.weir.store.Grant;
import io.weir.store.Pool;
import io.weir.store.Taking;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Carries what {@link LocalShares} still owe to the shared store: with the next draw on the bucket,
 * whichever that is, and with one at a time. Off the books once the store has answered it; until
 * then the present debt goes with the next try, as it shrinks by itself.
 *
 * <p>A call that was sent and not answered may be heard all the same, when a store that hung goes
 * on. After such a one the bucket carries nothing for {@value #PAUSE_MICROS} µs, by which time the
 * way to a store that hangs is shut: otherwise every try would charge the debt once more. Until
 * then the bucket is decided here: a store that has not heard of the debt would let it through
 * again.
 */
final class Debts {
  static final long PAUSE_MICROS = 1_000_000;

  /** Buckets that may pause at a time; more carry their debt again at once. */
  private static final int PAUSES = 1 << 16;

  private static final long UNDER_WAY = Long.MAX_VALUE;

  private final Books books;

  /** Until when nobody carries what a bucket owes. */
  private final Map<Bucket, Long> carried = new ConcurrentHashMap<>();

  /** What is owed; for many threads at once. */
  interface Books {
    /** Whether anything may be owed at all. */
    boolean any();

    /** What was let through here and has not come back yet. */
    long owed(Pool pool, Key key);

    /** The store has been told of so much. */
    void paid(Pool pool, Key key, long amount);

    /** The time in µs, from wherever. */
    long micros();
  }

  /** What debts are about, also when rules are loaded anew and pools are others. */
  private record Bucket(String rule, String slot, Key key) {
    static Bucket of(Draw draw) {
      return new Bucket(draw.pool().rule(), draw.pool().slot(), draw.key());
    }
  }

  Debts(Books books) {
    this.books = books;
  }

  /**
   * The draws, with what is owed on their buckets.
   *
   * @param away the places of draws that are not going to the store; those are added whose bucket
   *     owes something that it cannot be told of yet
   */
  List<Draw> load(List<Draw> draws, BitSet away) {
    if (!books.any()) {
      return draws;
    }
    List<Draw> loaded = new ArrayList<>(draws.size());
    try {
      for (int i = 0; i < draws.size(); i++) {
        Draw draw = draws.get(i);
        boolean goes = !away.get(i) && draw.intent() != Draw.Intent.LOOK;
        if (goes && draw.pool().onFail() == OnFail.LOCAL && owes(draw)) {
          Bucket bucket = Bucket.of(draw);
          away.set(i, pauses(bucket));
          draw = away.get(i) ? draw : load(draw, bucket);
        }
        loaded.add(draw);
      }
      return loaded;
    } catch (RuntimeException e) {
      putDown(loaded);
      throw e;
    }
  }

  private boolean owes(Draw draw) {
    return books.owed(draw.pool(), draw.key()) > 0;
  }

  private boolean pauses(Bucket bucket) {
    Long until = carried.get(bucket);
    return until != null && until.longValue() != UNDER_WAY && until > books.micros();
  }

  private Draw load(Draw draw, Bucket bucket) {
    if (!claim(bucket)) {
      return draw;
    }
    Draw loaded = draw;
    try {
      // Only now is it sure that nobody else is just paying.
      long owed = books.owed(draw.pool(), draw.key());
      loaded = owed == 0 ? draw : draw.telling(draw.lease().owing(owed));
      return loaded;
    } finally {
      if (loaded == draw) {
        carried.remove(bucket);
      }
    }
  }

  private boolean claim(Bucket bucket) {
    Long until = carried.putIfAbsent(bucket, UNDER_WAY);
    return until == null || (until <= books.micros() && carried.replace(bucket, until, UNDER_WAY));
  }

  /** The store has answered, or not. */
  void unload(List<Draw> draws, Taking taking) {
    try {
      for (int i = 0; i < draws.size(); i++) {
        Draw draw = draws.get(i);
        if (draw.lease().owed() > 0) {
          if (taking.standings().get(i).answered()) {
            books.paid(draw.pool(), draw.key(), draw.lease().owed());
          } else if (isSent(taking, i)) {
            pause(Bucket.of(draw));
          }
        }
      }
    } finally {
      putDown(draws);
    }
  }

  private static boolean isSent(Taking taking, int place) {
    return taking.grants().isEmpty() || taking.grants().get(place) != Grant.UNSENT;
  }

  private void pause(Bucket bucket) {
    long now = books.micros();
    if (carried.size() >= PAUSES) {
      carried.values().removeIf(until -> until <= now);
    }
    if (carried.size() < PAUSES) {
      carried.put(bucket, now + PAUSE_MICROS);
    }
  }

  private void putDown(List<Draw> draws) {
    for (Draw draw : draws) {
      if (draw.lease().owed() > 0) {
        carried.remove(Bucket.of(draw), UNDER_WAY);
      }
    }
  }
}
