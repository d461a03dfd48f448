package io.weir.tier;

import io.weir.Key;
import io.weir.OnFail;
import io.weir.Standing;
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
  private final LocalShares shares;
  private final Set<Bucket> carried = ConcurrentHashMap.newKeySet();

  private record Bucket(Pool pool, Key key) {}

  Debts(LocalShares shares) {
    this.shares = shares;
  }

  /** The draws, with what is owed on their buckets. */
  List<Draw> load(List<Draw> draws, BitSet away) {
    if (!shares.any()) {
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
      loaded.stream().filter(draw -> draw.lease().owed() > 0).forEach(this::putDown);
      throw e;
    }
  }

  private Draw load(Draw draw) {
    Bucket bucket = new Bucket(draw.pool(), draw.key());
    if (shares.owed(draw.pool(), draw.key()) == 0 || !carried.add(bucket)) {
      return draw;
    }
    Draw loaded = draw;
    try {
      // Only now is it sure that nobody else is just paying.
      long owed = shares.owed(draw.pool(), draw.key());
      loaded = owed == 0 ? draw : draw.telling(draw.lease().owing(owed));
      return loaded;
    } finally {
      if (loaded == draw) {
        carried.remove(bucket);
      }
    }
  }

  private void putDown(Draw draw) {
    carried.remove(new Bucket(draw.pool(), draw.key()));
  }

  /** The store has answered, or not. */
  void unload(List<Draw> draws, Taking taking) {
    for (int i = 0; i < draws.size(); i++) {
      Draw draw = draws.get(i);
      if (draw.lease().owed() > 0) {
        Standing standing = taking.standings().get(i);
        if (standing.answered()) {
          shares.paid(draw.pool(), draw.key(), draw.lease().owed());
        }
        putDown(draw);
      }
    }
  }
}
