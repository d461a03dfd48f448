package io.weir.near.lease;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Some of a lease's tokens: the number left and their <em>term</em> in one word, so that a take is
 * a single compare-and-set.
 *
 * <pre>   │ 0 │ stripe 4 │ term 19 │ left 40 │</pre>
 *
 * <p>The stripe never changes: it is the index of the word that a receipt belongs to.
 */
final class PackedTokens {
  /** Returned by {@link #take} when it took nothing; never equal to a word. */
  static final long NOTHING = -1;

  static final int MAX_STRIPES = 16;

  private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);
  private static final int LEFT_BITS = 40;
  private static final int STRIPE_SHIFT = 59;
  private static final long LEFT = (1L << LEFT_BITS) - 1;
  private static final long ONE_TERM = 1L << LEFT_BITS;
  private static final long TERM = (1L << STRIPE_SHIFT) - ONE_TERM;
  private static final int MIDDLE = 8;

  /** A quarter of all terms: far more than begin while a request is in flight. */
  private static final long MANY_TERMS = 1L << (STRIPE_SHIFT - 2);

  /**
   * The word in the middle of padding: threads on other cores write it all the time, and adjacent
   * data should stay in their caches (false sharing).
   */
  private final long[] padded = new long[2 * MIDDLE];

  PackedTokens(int stripe) {
    this(stripe, 0);
  }

  /** An empty word in the term of another. */
  PackedTokens(int stripe, long other) {
    padded[MIDDLE] = ((long) stripe << STRIPE_SHIFT) | (other & TERM);
  }

  /** The index of the word that a receipt belongs to. */
  static int stripe(long receipt) {
    return (int) (receipt >>> STRIPE_SHIFT);
  }

  /** The tokens in a word, or left after the take of a receipt. */
  static long left(long word) {
    return word & LEFT;
  }

  /** Whether a word or receipt has an earlier term than another; terms wrap around. */
  static boolean isBefore(long word, long other) {
    return ((word & TERM) - (other & TERM)) << (Long.SIZE - STRIPE_SHIFT) < 0;
  }

  /** No tokens in the term of a word, or in a later term if that one is very old. */
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

  /** Takes this amount if available; returns a receipt, or {@link #NOTHING}. */
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

  /** As {@link #take} from a word just read; also takes nothing if another thread changed it. */
  long takeFrom(long here, long amount) {
    return left(here) >= amount && swap(here, here - amount) ? here - amount : NOTHING;
  }

  /** Takes all tokens; returns the old word, which is their receipt. */
  long takeAll() {
    while (true) {
      long here = word();
      if (swap(here, here & ~LEFT)) {
        return here;
      }
    }
  }

  /** Adds tokens taken in the same term, with a receipt of any word; false if that term is over. */
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

  /** Adds new tokens. */
  void add(long amount) {
    WORD.getAndAdd(padded, MIDDLE, amount);
  }

  /**
   * Starts a new term, drops up to this many of the tokens left, and returns how many were left.
   */
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
