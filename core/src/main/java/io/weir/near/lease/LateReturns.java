package io.weir.near.lease;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Tokens of a lease that were put back too late to be handed out again. They go back to the bucket
 * with the next report.
 *
 * <p>Tokens of a window or quota are valid in that window only, and may be put back in a later one.
 * Receipts tell them apart: the term in which the present window began is kept in one word with the
 * number of tokens. A bucket has a single window that never ends.
 */
final class LateReturns {
  private final AtomicLong word = new AtomicLong();

  /** The number of tokens. */
  long count() {
    return PackedTokens.left(word.get());
  }

  /** Adds tokens of this receipt, unless it is from an earlier window. */
  void add(long amount, long receipt) {
    while (true) {
      long here = word.get();
      if (PackedTokens.isBefore(receipt, here) || word.compareAndSet(here, here + amount)) {
        return;
      }
    }
  }

  /** Adds tokens of the present window. */
  void add(long amount) {
    word.addAndGet(amount);
  }

  /**
   * Takes all tokens.
   *
   * @param present a word of the present term
   */
  long take(long present) {
    while (true) {
      long here = word.get();
      if (word.compareAndSet(here, PackedTokens.emptyNear(here, present))) {
        return PackedTokens.left(here);
      }
    }
  }

  /** Drops all tokens, and every later return from before the term of this word. */
  void beginWindow(long present) {
    word.set(PackedTokens.emptyNear(present, present));
  }
}
