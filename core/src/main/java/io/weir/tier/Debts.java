package io.weir.tier;

import io.weir.Key;
import io.weir.OnFail;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.Taking;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Carries what {@link LocalShares} still owe to the shared store: with the next draw on the bucket,
 * whichever that is, and with one at a time. Off the books once the store has answered it; until
 * then the present debt goes with every try, as it shrinks by itself.
 */
final class Debts {
  private final Books books;
  private final Set<Bucket> carried = ConcurrentHashMap.newKeySet();

  /** What is owed; for many threads at once. */
  interface Books {
    /** Whether anything may be owed at all. */
    boolean any();

    /** What was let through here and has not come back yet. */
    long owed(Pool pool, Key key);

    /** The store has been told of so much. */
    void paid(Pool pool, Key key, long amount);
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

  /** The draws, with what is owed on their buckets. */
  List<Draw> load(List<Draw> draws, BitSet away) {
    if (!books.any()) {
      return draws;
    }
    List<Draw> loaded = new ArrayList<>(draws.size());
    try {
      for (int i = 0; i < draws.size(); i++) {
        Draw draw = draws.get(i);
        boolean goes = !away.get(i) && draw.intent() != Draw.Intent.LOOK;
        loaded.add(goes && draw.pool().onFail() == OnFail.LOCAL ? load(draw) : draw);
      }
      return loaded;
    } catch (RuntimeException e) {
      putDown(loaded);
      throw e;
    }
  }

  private Draw load(Draw draw) {
    Bucket bucket = Bucket.of(draw);
    if (books.owed(draw.pool(), draw.key()) == 0 || !carried.add(bucket)) {
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

  /** The store has answered, or not. */
  void unload(List<Draw> draws, Taking taking) {
    try {
      for (int i = 0; i < draws.size(); i++) {
        Draw draw = draws.get(i);
        if (draw.lease().owed() > 0 && taking.standings().get(i).answered()) {
          books.paid(draw.pool(), draw.key(), draw.lease().owed());
        }
      }
    } finally {
      putDown(draws);
    }
  }

  private void putDown(List<Draw> draws) {
    for (Draw draw : draws) {
      if (draw.lease().owed() > 0) {
        carried.remove(Bucket.of(draw));
      }
    }
  }
}
