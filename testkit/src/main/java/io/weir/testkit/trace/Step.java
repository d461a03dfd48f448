package io.weir.testkit.trace;

import io.weir.Limit;

/** One thing that happens to a key. */
public sealed interface Step {
  /** A call asks for this much, to be settled later perhaps. */
  record Take(long cost) implements Step {}

  /** Somebody looks whether this much would be admitted. */
  record Look(long cost) implements Step {}

  /**
   * An admitted call turns out to have cost something else.
   *
   * @param back which one: 0 is the latest
   */
  record Settle(int back, long owed) implements Step {}

  /** So much of what was taken last is given back, whoever took it and whenever. */
  record Refund(long amount) implements Step {}

  /** An admitted call ends; matters to concurrency only. */
  record Release(int back) implements Step {}

  /** An admitted call says that it goes on; matters to concurrency only. */
  record Renew(int back) implements Step {}

  /** From now on the limit has other numbers. */
  record Change(Limit limit) implements Step {}

  /** The clock moves by so many microseconds; a negative number sets it back. */
  record Pass(long micros) implements Step {}

  /** The clock moves by the last retry-after, and by so many microseconds more or less. */
  record Await(long offset) implements Step {}
}
