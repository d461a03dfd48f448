package io.weir.store;

import io.weir.Key;
import io.weir.Mode;

/**
 * One bucket and an amount to take from it.
 *
 * @param amount at least 0; 0 looks
 * @param mode {@code ENFORCE}, or {@code SHADOW}: never refuses, and is taken from only if the call
 *     passes and it admits
 * @param intent what to do if everything admits
 */
public record Draw(Pool pool, Key key, long amount, Mode mode, Intent intent) {

  /** What a draw does to a bucket that admits it. */
  public enum Intent {
    /** Takes, unless the limit is of concurrency, which checks only look at. */
    TAKE,
    /** Takes only what can go at once: a leaky bucket with a backlog refuses. */
    TAKE_NOW,
    /** Takes, permits too. */
    HOLD,
    /** Looks and changes nothing. */
    LOOK
  }

  /** The fixed hash of rule and key, from which windows take their phase. */
  long keyHash() {
    return KeyText.hash(pool.rule(), key.parts());
  }
}
