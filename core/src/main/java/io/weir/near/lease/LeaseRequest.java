package io.weir.near.lease;

import io.weir.LimitStatus;
import io.weir.store.LeaseReport;
import java.util.concurrent.CompletableFuture;

/**
 * The one call under way about a lease. Whoever finds the lease empty meanwhile can wait for it
 * instead of making another.
 */
final class LeaseRequest {
  /** When the call went out; leases count from here. */
  final long sent;

  final LeaseReport report;

  /** What the draw that rides along takes for itself. */
  final long cost;

  /** What of {@link LeaseReport#returned} was in hand until then. */
  final long returned;

  /** Completes once the lease has what it got, with how the draw that rode along stood. */
  final CompletableFuture<LimitStatus> done = new CompletableFuture<>();

  LeaseRequest(long sent, LeaseReport call, long cost, long returned) {
    this.sent = sent;
    this.report = call;
    this.cost = cost;
    this.returned = returned;
  }

  /** Whether waiting for this is worth while for a draw of so much. */
  boolean mayCover(long amount) {
    return report.requested() >= amount;
  }
}
