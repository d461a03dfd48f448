package io.weir.near.lease;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Some of a lease's tokens: how many are left, and in which <em>term</em>, in one word, so that
 * handing out is a single compare-and-set.
 *
 * <pre>   │ 0 │ place 4 │ term 19 │ left 40 │</pre>
 *
 * <p>The place never changes: it says to which word a receipt belongs.
 */
final class PackedTokens {
  /** What {@link #take} answers when it took nothing; no word is like it. */
  static final long NOTHING = -1;

  static final int MOST_PLACES = 16;

  private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);
  private static final int LEFT_BITS = 40;
  private static final int PLACE_SHIFT = 59;
  private static final long LEFT = (1L << LEFT_BITS) - 1;
  private static final long ONE_TERM = 1L << LEFT_BITS;
  private static final long TERM = (1L << PLACE_SHIFT) - ONE_TERM;
  private static final int MIDDLE = 8;

  /** A quarter of all terms: far more than begin while a call waits for its answer. */
  private static final long MANY_TERMS = 1L << (PLACE_SHIFT - 2);

  /**
   * The word, in the middle of nothing else: threads on other cores write it all the time, and what
   * they read beside it should stay in their caches.
   */
  private final long[] padded = new long[2 * MIDDLE];

  PackedTokens(int place) {
    this(place, 0);
  }

  /** A word with nothing in it, in the term of another. */
  PackedTokens(int place, long other) {
    padded[MIDDLE] = ((long) place << PLACE_SHIFT) | (other & TERM);
  }

  /** Where the word of a receipt is. */
  static int place(long receipt) {
    return (int) (receipt >>> PLACE_SHIFT);
  }

  /** How many there are in a word, or were left by a receipt. */
  static long left(long word) {
    return word & LEFT;
  }

  /** Whether a word or receipt is of an earlier term than another; terms come round again. */
  static boolean isBefore(long word, long other) {
    return ((word & TERM) - (other & TERM)) << (Long.SIZE - PLACE_SHIFT) < 0;
  }

  /** No tokens in the term of a word, or in a later one if that is very long ago. */
  static long emptyNear(long word, long present) {
    long longAgo = present - MANY_TERMS;
    return (isBefore(word, longAgo) ? longAgo : word) & TERM;
  }

  long word() {
    return (long) WORD.getVolatile(padded, MIDDLE);
  }

  private boolean swap(long from, long to) {
    return WORD.compareAndSet(padded, MIDDLE, from, to);
  }

  /** Takes so many if they are there; a receipt, or {@link #NOTHING}. */
  long take(long amount) {
    while (true) {
      long here = word();
      if (left(here) < amount) {
        return NOTHING;
      }
      if (swap(here, here - amount)) {
        return here - amount;
      }
    }
  }

  /** As {@link #take} from a word just read; also nothing if another thread came in between. */
  long takeFrom(long here, long amount) {
    return left(here) >= amount && swap(here, here - amount) ? here - amount : NOTHING;
  }

  /** Takes all there are; the word as it was, which is a receipt for them. */
  long takeAll() {
    while (true) {
      long here = word();
      if (swap(here, here & ~LEFT)) {
        return here;
      }
    }
  }

  /** Adds what was taken in the same term, by a receipt from any word; false if that is over. */
  boolean add(long amount, long receipt) {
    while (true) {
      long here = word();
      if (((here ^ receipt) & TERM) != 0) {
        return false;
      }
      if (swap(here, here + amount)) {
        return true;
      }
    }
  }

  /** Adds what is new. */
  void add(long amount) {
    WORD.getAndAdd(padded, MIDDLE, amount);
  }

  /** Starts a new term without so many of what is left, and says how much was left. */
  long beginTerm(long without) {
    while (true) {
      long here = word();
      if (swap(here, nextTerm(here) - Math.min(left(here), without))) {
        return left(here);
      }
    }
  }

  private static long nextTerm(long word) {
    return (word & ~TERM) | ((word + ONE_TERM) & TERM);
  }
}
