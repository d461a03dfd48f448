package io.weir.store;

import io.weir.limit.Loans;

/**
 * How an instance's lease on a bucket stands in the store's books after a call; see {@link Loans}.
 *
 * @param kept what it had in hand and may go on handing out
 * @param lent what it got in addition
 * @param epoch when that was, by the store's count
 * @param window the end of the window that was charged, on the store's clock; 0 for buckets
 * @param life how long all of it may be handed out, in µs from the moment the call was sent
 */
public record Grant(long kept, long lent, long epoch, long window, long life) {
  /** Nothing. */
  public static final Grant NONE = new Grant(0, 0, -1, 0, 0);

  /** What the books hold for the instance. */
  public long held() {
    return kept + lent;
  }

  /** The same window, with nothing in the books that the instance could speak of. */
  public Grant forgotten() {
    return new Grant(0, 0, -1, window, 0);
  }
}
