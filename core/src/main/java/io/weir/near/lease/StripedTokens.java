package io.weir.near.lease;

import org.jspecify.annotations.Nullable;

/**
 * The tokens of a lease, striped for many threads.
 *
 * <pre>
 *              centre            lent tokens arrive here
 *            ╱    │   ╲          64 at a time, fewer where few are left
 *       stripe  stripe  stripe   tokens are taken from here; threads are spread over the stripes
 * </pre>
 *
 * <p>One word is enough until two threads collide. Then stripes are created, so that threads write
 * to a shared word once in a while instead of at every decision. Tokens in the stripes of other
 * threads are collected when there are none elsewhere.
 *
 * <p>A <em>term</em> ends when the tokens handed out in it are reported. Each word changes its term
 * by itself, and its tokens are counted at that moment. Tokens in transit at that time, to a call
 * or from word to word, count as handed out. If they are put back later they are late: the report
 * has already counted them as used. They are set aside ({@link LateReturns}) and go back to the
 * bucket with the next report.
 */
final class StripedTokens {
  /** Returned by {@link #take} when it took nothing. */
  static final long NOTHING = PackedTokens.NOTHING;

  private static final int CENTRE = 0;

  /** A power of two, with room for threads that share a stripe by chance. */
  private static final int STRIPES =
      Math.min(
          PackedTokens.MAX_STRIPES / 2,
          Integer.highestOneBit(4 * Runtime.getRuntime().availableProcessors() - 1));

  private static final long MAX_TRANSFER = 64;

  private final LateReturns lateReturns = new LateReturns();
  private final PackedTokens centre = new PackedTokens(CENTRE);

  /** The stripes, from index 1; null while there is only the centre. */
  private volatile PackedTokens @Nullable [] stripes;

  // ---- handing out

  /** Takes {@code cost} tokens if available; returns a receipt, or {@link #NOTHING}. */
  long take(long cost) {
    PackedTokens[] all = stripes;
    if (all == null) {
      long here = centre.word();
      long receipt = centre.takeFrom(here, cost);
      if (receipt != NOTHING || PackedTokens.left(here) < cost) {
        return receipt;
      }
      all = createStripes();
    }
    PackedTokens own = ownStripe(all);
    long receipt = own.take(cost);
    return receipt == NOTHING ? fetch(cost, own, all) : receipt;
  }

  private static PackedTokens ownStripe(PackedTokens[] all) {
    return all[1 + ((int) Thread.currentThread().getId() & (STRIPES - 1))];
  }

  /** Takes from the centre, for this call and some that follow. */
  private long fetch(long cost, PackedTokens own, PackedTokens[] all) {
    long some = Math.min(MAX_TRANSFER, PackedTokens.left(centre.word()) / (2 * STRIPES));
    if (some > cost) {
      long receipt = centre.take(some);
      if (receipt != NOTHING) {
        put(own, some - cost, receipt);
        return receipt;
      }
    }
    long receipt = centre.take(cost);
    if (receipt != NOTHING) {
      return receipt;
    }
    gather(all);
    return centre.take(cost);
  }

  /** Moves the tokens of all stripes to the centre. */
  private void gather(PackedTokens[] all) {
    for (int i = 1; i < all.length; i++) {
      if (PackedTokens.left(all[i].word()) > 0) {
        long taken = all[i].takeAll();
        put(centre, PackedTokens.left(taken), taken);
      }
    }
  }

  private void put(PackedTokens word, long amount, long receipt) {
    if (!word.add(amount, receipt)) {
      lateReturns.add(amount, receipt);
    }
  }

  /** Puts back tokens taken with this receipt. */
  void putBack(long cost, long receipt) {
    int stripe = PackedTokens.stripe(receipt);
    PackedTokens[] all = stripes;
    put(all == null ? centre : all[stripe], cost, receipt);
  }

  private synchronized PackedTokens[] createStripes() {
    PackedTokens[] all = stripes;
    if (all == null) {
      all = new PackedTokens[1 + STRIPES];
      all[CENTRE] = centre;
      for (int i = 1; i < all.length; i++) {
        all[i] = new PackedTokens(i, centre.word());
      }
      stripes = all;
    }
    return all;
  }

  // ---- counting

  /** All tokens. */
  long left() {
    PackedTokens[] all = stripes;
    if (all == null) {
      return PackedTokens.left(centre.word());
    }
    long left = 0;
    for (PackedTokens word : all) {
      left += PackedTokens.left(word.word());
    }
    return left;
  }

  /** Tokens left for this thread after a take: all but those in the stripes of other threads. */
  long leftAfter(long receipt) {
    PackedTokens[] all = stripes;
    return all == null
        ? PackedTokens.left(receipt)
        : PackedTokens.left(centre.word()) + PackedTokens.left(ownStripe(all).word());
  }

  /** Late tokens that are set aside. */
  long late() {
    return lateReturns.count();
  }

  /** Changes with every operation. */
  long fingerprint() {
    PackedTokens[] all = stripes;
    if (all == null) {
      return centre.word();
    }
    long print = 0;
    for (PackedTokens word : all) {
      print = 31 * print + word.word();
    }
    return print;
  }

  // ---- reporting, by one thread at a time

  /** Starts a new term with all tokens left, and returns their number. */
  long beginTerm() {
    return beginTerm(0);
  }

  /** Starts a new term without tokens, and returns how many were left. */
  long clear() {
    return beginTerm(Long.MAX_VALUE);
  }

  /** Sets some of the remaining tokens aside, and adds others. */
  void exchange(long aside, long more) {
    if (aside > 0) {
      lateReturns.add(Math.min(aside, beginTerm(aside)));
    }
    centre.add(more);
  }

  /**
   * Begins a new window. The tokens of the last {@link #exchange} belong to it; older tokens are
   * dropped if they are put back later. All tokens left must have been exchanged before.
   */
  void beginWindow() {
    lateReturns.beginWindow(centre.word());
  }

  /**
   * Starts a new term, drops up to this many of the tokens left, and returns how many were left.
   * The centre is last: tokens that move from it to a stripe whose term has begun are late, and are
   * not counted twice.
   */
  private synchronized long beginTerm(long without) {
    PackedTokens[] all = stripes;
    long left = 0;
    for (int i = all == null ? CENTRE : all.length - 1; i > CENTRE; i--) {
      left += all[i].beginTerm(Math.max(0, without - left));
    }
    return left + centre.beginTerm(Math.max(0, without - left));
  }

  /**
   * Restores tokens that were {@link #clear}ed, and late tokens that were {@link #takeLate taken}.
   */
  void restore(long cleared, long tookLate) {
    centre.add(cleared);
    lateReturns.add(tookLate);
  }

  /** Takes the late tokens, to be returned to the bucket. */
  long takeLate() {
    return lateReturns.take(centre.word());
  }
}
