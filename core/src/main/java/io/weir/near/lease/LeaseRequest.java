package io.weir.near.lease;

import io.weir.LimitStatus;
import io.weir.store.LeaseReport;
import java.util.concurrent.CompletableFuture;

/**
 * The request in flight about a lease. A call that finds the lease empty meanwhile can wait for
 * this request instead of sending its own.
 */
final class LeaseRequest {
  /** When the request was sent, in µs; the life of a lease counts from here. */
  final long sent;

  final LeaseReport report;

  /** The amount of the draw that carries the report. */
  final long cost;

  /** The part of {@link LeaseReport#returned} that could be handed out until then. */
  final long returned;

  /** Completes with the status of the carrying draw, after the answer was applied to the lease. */
  final CompletableFuture<LimitStatus> done = new CompletableFuture<>();

  LeaseRequest(long sent, LeaseReport report, long cost, long returned) {
    this.sent = sent;
    this.report = report;
    this.cost = cost;
    this.returned = returned;
  }

  /** Whether the requested tokens would cover a draw of this amount. */
  boolean mayCover(long amount) {
    return report.requested() >= amount;
  }
}
