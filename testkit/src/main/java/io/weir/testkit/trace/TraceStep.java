package io.weir.testkit.trace;

import io.weir.Limit;

/** One event of a key. */
public sealed interface TraceStep {
  /** A call takes this much and may be settled later. */
  record Take(long cost) implements TraceStep {}

  /** A look at whether this much would be admitted. */
  record Look(long cost) implements TraceStep {}

  /**
   * An admitted call had another actual cost.
   *
   * @param back which call: 0 is the latest
   */
  record Settle(int back, long owed) implements TraceStep {}

  /** This much of what was taken last is refunded, whichever calls took it. */
  record Refund(long amount) implements TraceStep {}

  /** An admitted call ends; only relevant to concurrency. */
  record Release(int back) implements TraceStep {}

  /** An admitted call renews its permits; only relevant to concurrency. */
  record Renew(int back) implements TraceStep {}

  /** From now on the limit has other numbers. */
  record LimitChange(Limit limit) implements TraceStep {}

  /** The clock moves by this many microseconds; a negative number sets it back. */
  record Pass(long micros) implements TraceStep {}

  /** The clock moves by the last retry-after plus this offset in microseconds. */
  record Await(long offset) implements TraceStep {}
}
