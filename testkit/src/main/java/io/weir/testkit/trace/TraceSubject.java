package io.weir.testkit.trace;

import io.weir.Limit;
import io.weir.testkit.reference.ObservedAnswer;

/** Something that decides about one key, on a clock of its own that can be moved. */
public interface TraceSubject {
  /** The fixed hash of rule and key, from which windows take their phase. */
  long keyHash();

  /** The time in µs on the clock that decides about this limit. */
  long now(Limit limit);

  /** Moves the clock by so many microseconds; a negative number sets it back. */
  void move(long micros);

  /** Takes a cost, permits too, if it is admitted; {@code id} names the take from then on. */
  ObservedAnswer take(Limit limit, long cost, long id);

  /** Says what {@link #take} would say if it did not take. */
  ObservedAnswer look(Limit limit, long cost);

  /** Puts an admitted take right: this is what it truly cost. Called once per take at most. */
  void settle(Limit limit, long id, long owed);

  /** Gives back this much of what was taken last, as far as that still weighs. */
  void refund(Limit limit, long amount);

  /**
   * Writes the present down if this may forget a key that has become as if never used. Whether it
   * did forget then makes no difference around a clock that is set back or numbers that change.
   *
   * @return whether it did
   */
  default boolean touch(Limit limit) {
    return false;
  }

  /**
   * A call that takes nothing, whatever the limit, if this may forget a key: from then on it is
   * kept for as long as it weighs under this limit.
   *
   * @return whether it was made
   */
  default boolean glance(Limit limit) {
    return false;
  }

  /** Ends the permits of a take; false if none was held any more. */
  boolean release(Limit limit, long id);

  /** Gives the permits of a take their full life again; false if none was held any more. */
  boolean renew(Limit limit, long id);
}
