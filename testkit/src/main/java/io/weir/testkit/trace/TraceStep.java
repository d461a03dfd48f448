package io.weir.testkit.trace;

import io.weir.Limit;

/** One thing that happens to a key. */
public sealed interface TraceStep {
  /** A call asks for this much, to be settled later perhaps. */
  record Take(long cost) implements TraceStep {}

  /** Somebody looks whether this much would be admitted. */
  record Look(long cost) implements TraceStep {}

  /**
   * An admitted call turns out to have cost something else.
   *
   * @param back which one: 0 is the latest
   */
  record Settle(int back, long owed) implements TraceStep {}

  /** So much of what was taken last is given back, whoever took it and whenever. */
  record Refund(long amount) implements TraceStep {}

  /** An admitted call ends; matters to concurrency only. */
  record Release(int back) implements TraceStep {}

  /** An admitted call says that it goes on; matters to concurrency only. */
  record Renew(int back) implements TraceStep {}

  /** From now on the limit has other numbers. */
  record LimitChange(Limit limit) implements TraceStep {}

  /** The clock moves by so many microseconds; a negative number sets it back. */
  record Pass(long micros) implements TraceStep {}

  /** The clock moves by the last retry-after, and by so many microseconds more or less. */
  record Await(long offset) implements TraceStep {}
}
