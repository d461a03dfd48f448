package io.weir.near.lease;

import org.jspecify.annotations.Nullable;

/**
 * The tokens of a lease, for many threads at once.
 *
 * <pre>
 *              centre            what is lent arrives here
 *            ╱    │   ╲          64 at a time, fewer where little is left
 *       stripe  stripe  stripe   handed out from here, each to some of the threads
 * </pre>
 *
 * <p>One word is enough until two threads get in each other's way. Then there are stripes, so that
 * threads write to a shared word once in a while instead of at every decision. What lies in the
 * stripes of others is fetched when there is no more elsewhere.
 *
 * <p>A <em>term</em> ends when what was handed out in it is reported. Each word changes its term by
 * itself, and its tokens are counted at that very moment. What was on its way then, to a caller or
 * from word to word, counts as handed out; if it comes back after all, it is too late: nobody
 * counts it as out any more. It is kept aside ({@link LateReturns}), to go back to the bucket with
 * the next report.
 */
final class StripedTokens {
  /** What {@link #take} answers when it took nothing. */
  static final long NOTHING = PackedTokens.NOTHING;

  private static final int CENTRE = 0;

  /** A power of two, with room for threads that meet on a stripe by chance. */
  private static final int STRIPES =
      Math.min(
          PackedTokens.MOST_PLACES / 2,
          Integer.highestOneBit(4 * Runtime.getRuntime().availableProcessors() - 1));

  private static final long MOST_AT_A_TIME = 64;

  private final LateReturns lateReturns = new LateReturns();
  private final PackedTokens centre = new PackedTokens(CENTRE);

  /** The words of each group of threads, from 1; null while there is but the centre. */
  private volatile PackedTokens @Nullable [] stripes;

  // ---- handing out

  /** Hands out {@code cost} if it is there; a receipt, or {@link #NOTHING}. */
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
    PackedTokens mine = ownStripe(all);
    long receipt = mine.take(cost);
    return receipt == NOTHING ? fetch(cost, mine, all) : receipt;
  }

  private static PackedTokens ownStripe(PackedTokens[] all) {
    return all[1 + ((int) Thread.currentThread().getId() & (STRIPES - 1))];
  }

  /** Takes from the centre, for this call and some that will follow. */
  private long fetch(long cost, PackedTokens mine, PackedTokens[] all) {
    long some = Math.min(MOST_AT_A_TIME, PackedTokens.left(centre.word()) / (2 * STRIPES));
    if (some > cost) {
      long receipt = centre.take(some);
      if (receipt != NOTHING) {
        put(mine, some - cost, receipt);
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

  /** Brings what lies in stripes to the centre. */
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

  /** Takes back what was handed out by this receipt. */
  void putBack(long cost, long receipt) {
    int place = PackedTokens.place(receipt);
    PackedTokens[] all = stripes;
    put(all == null ? centre : all[place], cost, receipt);
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

  /** How many there are. */
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

  /** How many are left for this thread after a take: all but those in the stripes of others. */
  long leftAfter(long receipt) {
    PackedTokens[] all = stripes;
    return all == null
        ? PackedTokens.left(receipt)
        : PackedTokens.left(centre.word()) + PackedTokens.left(ownStripe(all).word());
  }

  /** How many are kept aside. */
  long late() {
    return lateReturns.count();
  }

  /** Changes with everything that is done here. */
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

  /** Starts a new term with all that is left, and says how much that is. */
  long beginTerm() {
    return beginTerm(0);
  }

  /** Starts a new term with nothing, and says how much was left. */
  long clear() {
    return beginTerm(Long.MAX_VALUE);
  }

  /** Puts some aside, as far as they are left, and adds others. */
  void exchange(long away, long more) {
    if (away > 0) {
      lateReturns.add(Math.min(away, beginTerm(away)));
    }
    centre.add(more);
  }

  /**
   * What came with the last {@link #exchange} is of another window: nothing older is worth anything
   * if it is put back. All that was left had to be exchanged.
   */
  void beginWindow() {
    lateReturns.beginWindow(centre.word());
  }

  /**
   * Starts a new term without so many of what is left, and says how much was left. The centre is
   * last: what leaves it for a stripe whose term has begun is late, and not counted twice.
   */
  private synchronized long beginTerm(long without) {
    PackedTokens[] all = stripes;
    long left = 0;
    for (int i = all == null ? CENTRE : all.length - 1; i > CENTRE; i--) {
      left += all[i].beginTerm(Math.max(0, without - left));
    }
    return left + centre.beginTerm(Math.max(0, without - left));
  }

  /** Takes back what was {@link #clear}ed, and {@link #takeLate taken} from what is kept aside. */
  void restore(long cleared, long tookLate) {
    centre.add(cleared);
    lateReturns.add(tookLate);
  }

  /** What is kept aside, to be returned to the bucket. */
  long takeLate() {
    return lateReturns.take(centre.word());
  }
}
