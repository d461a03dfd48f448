package io.weir.near.lease;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Tokens of a lease that came back too late to be handed out again; they go back to the bucket with
 * the next report.
 *
 * <p>Those of a window or quota are worth something in that window only, and what was handed out in
 * one may come back in another. Receipts tell them apart: so the term in which the present window
 * began is kept in one word with how many there are. Buckets have one window for ever.
 */
final class LateReturns {
  private final AtomicLong word = new AtomicLong();

  /** How many there are. */
  long count() {
    return PackedTokens.left(word.get());
  }

  /** Adds what was handed out by this receipt, unless that was in an earlier window. */
  void add(long amount, long receipt) {
    while (true) {
      long here = word.get();
      if (PackedTokens.isBefore(receipt, here) || word.compareAndSet(here, here + amount)) {
        return;
      }
    }
  }

  /** Adds what is of the present window. */
  void add(long amount) {
    word.addAndGet(amount);
  }

  /**
   * Takes all there are.
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

  /** Lets go of all there are, and of all that was handed out before the term of this word. */
  void beginWindow(long present) {
    word.set(PackedTokens.emptyNear(present, present));
  }
}
