package io.weir.engine;

import io.weir.Key;
import io.weir.Mode;
import io.weir.store.Draw;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects the draws of one decision, and merges draws on the same bucket, as a store accepts one
 * draw per bucket.
 */
public final class DrawMerger {
  private final List<Draw> draws = new ArrayList<>();

  /**
   * Adds a draw. Returns the index in {@link #draws} of the draw, or of the one it was merged into.
   */
  public int add(Draw draw) {
    for (int i = 0; i < draws.size(); i++) {
      if (sameBucket(draws.get(i), draw)) {
        draws.set(i, merge(draws.get(i), draw));
        return i;
      }
    }
    draws.add(draw);
    return draws.size() - 1;
  }

  /** All draws, at most one per bucket. */
  public List<Draw> draws() {
    return draws;
  }

  private static boolean sameBucket(Draw a, Draw b) {
    return a.key().low() == b.key().low()
        && a.pool().rule().equals(b.pool().rule())
        && a.pool().slot().equals(b.pool().slot())
        && a.key().equals(b.key());
  }

  /**
   * Two draws as one: amounts taken add up, a look adds nothing. If the draws have different
   * limits, the tighter one applies to both.
   */
  private static Draw merge(Draw a, Draw b) {
    boolean looksA = a.intent() == Draw.Intent.LOOK;
    boolean looksB = b.intent() == Draw.Intent.LOOK;
    long amount;
    if (looksA == looksB) {
      amount = looksA ? Math.max(a.amount(), b.amount()) : sum(a.amount(), b.amount());
    } else {
      amount = looksA ? b.amount() : a.amount();
    }
    boolean tighter = b.pool().meter().limit().capacity() < a.pool().meter().limit().capacity();
    Pool pool = tighter ? b.pool() : a.pool();
    Key key = a.key();
    Mode mode = a.mode() == Mode.ENFORCE ? a.mode() : b.mode();
    Draw.Intent intent = looksA ? b.intent() : a.intent();
    return new Draw(pool, key, amount, mode, intent, a.unit(), LeaseReport.NONE, 0, a.call());
  }

  private static long sum(long a, long b) {
    return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
  }
}
