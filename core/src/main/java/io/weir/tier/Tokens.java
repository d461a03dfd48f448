package io.weir.tier;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The tokens of a lease: how many are left, and in which <em>term</em>, in one word, so that
 * handing out is a single compare-and-set.
 *
 * <pre>   │ 0 │ term 23 │ left 40 │</pre>
 *
 * <p>A term ends when what was handed out in it is reported. What is put back after that cannot be
 * handed out again, as nobody counts it as out any more.
 */
final class Tokens {
  /** What {@link #take} answers when it took nothing; no word is like it. */
  static final long NOTHING = -1;

  private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);
  private static final int LEFT_BITS = 40;
  private static final long LEFT = (1L << LEFT_BITS) - 1;
  private static final long TERM = 1L << LEFT_BITS;
  private static final long LAST_TERM = Long.MAX_VALUE & ~LEFT;
  private static final int MIDDLE = 8;

  /**
   * The word, in the middle of nothing else: threads on other cores write it all the time, and what
   * they read beside it should stay in their caches.
   */
  private final long[] apart = new long[2 * MIDDLE];

  private long word() {
    return (long) WORD.getVolatile(apart, MIDDLE);
  }

  private boolean swap(long from, long to) {
    return WORD.compareAndSet(apart, MIDDLE, from, to);
  }

  /** How many there are. */
  long left() {
    return word() & LEFT;
  }

  /** Hands out {@code cost} if it is there; a receipt, or {@link #NOTHING}. */
  long take(long cost) {
    while (true) {
      long here = word();
      if ((here & LEFT) < cost) {
        return NOTHING;
      }
      long next = here - cost;
      if (swap(here, next)) {
        return next;
      }
    }
  }

  /** What was left after a take, by its receipt. */
  static long leftAfter(long receipt) {
    return receipt & LEFT;
  }

  /** Takes back what was handed out by this receipt; false if its term is over. */
  boolean putBack(long cost, long receipt) {
    while (true) {
      long here = word();
      if ((here & ~LEFT) != (receipt & ~LEFT)) {
        return false;
      }
      if (swap(here, here + cost)) {
        return true;
      }
    }
  }

  /** Starts a new term with all that is left, and says how much that is. */
  long beginTerm() {
    while (true) {
      long here = word();
      if (swap(here, nextTerm(here))) {
        return here & LEFT;
      }
    }
  }

  /** Starts a new term with nothing, and says how much was left. */
  long clear() {
    while (true) {
      long here = word();
      if (swap(here, nextTerm(here) & ~LEFT)) {
        return here & LEFT;
      }
    }
  }

  private static long nextTerm(long word) {
    return word >= LAST_TERM ? word & LEFT : word + TERM;
  }

  /** Lets go of some, as far as they are left, and adds others; says how many were let go. */
  long exchange(long away, long more) {
    while (true) {
      long here = word();
      long left = here & LEFT;
      long gone = Math.min(left, away);
      if (swap(here, (here & ~LEFT) | (left - gone + more))) {
        return gone;
      }
    }
  }

  /** Changes with everything that is done here. */
  long fingerprint() {
    return word();
  }
}
