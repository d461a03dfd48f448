package io.weir.testkit.trace;

import io.weir.Limit;
import io.weir.testkit.reference.ObservedAnswer;

/** An implementation that decides about one key, with its own movable clock. */
public interface TraceSubject {
  /** The fixed hash of rule and key, from which windows take their phase. */
  long keyHash();

  /** The time in µs on the clock that applies to this limit. */
  long now(Limit limit);

  /** Moves the clock by this many microseconds; a negative number sets it back. */
  void move(long micros);

  /** Takes a cost, permits too, if it is admitted; {@code id} identifies the take from then on. */
  ObservedAnswer take(Limit limit, long cost, long id);

  /** Returns what {@link #take} would return, without taking. */
  ObservedAnswer look(Limit limit, long cost);

  /** Settles an admitted take with its actual cost. Called at most once per take. */
  void settle(Limit limit, long id, long owed);

  /** Refunds this much of what was taken last, as far as that still counts. */
  void refund(Limit limit, long amount);

  /**
   * Stores the present state, if the implementation may forget an idle key. Then it makes no
   * difference around clock steps and changed numbers whether it has forgotten the key.
   *
   * @return whether it did
   */
  default boolean touch(Limit limit) {
    return false;
  }

  /**
   * A call that takes nothing under any limit, if the implementation may forget a key: from then on
   * it keeps the key for as long as it has usage under this limit.
   *
   * @return whether the call was made
   */
  default boolean glance(Limit limit) {
    return false;
  }

  /** Ends the permits of a take; false if none was held any more. */
  boolean release(Limit limit, long id);

  /** Restores the full life of a take's permits; false if none was held any more. */
  boolean renew(Limit limit, long id);
}
