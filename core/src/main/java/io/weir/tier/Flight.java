package io.weir.tier;

import io.weir.Standing;
import io.weir.store.LeaseCall;
import java.util.concurrent.CompletableFuture;

/**
 * The one call under way about a lease. Whoever finds the lease empty meanwhile can wait for it
 * instead of making another.
 */
final class Flight {
  /** When the call went out; leases count from here. */
  final long sent;

  final LeaseCall call;

  /** What the draw that rides along takes for itself. */
  final long cost;

  /** What of {@link LeaseCall#back} was in hand until then. */
  final long returned;

  /** Completes once the lease has what it got, with how the draw that rode along stood. */
  final CompletableFuture<Standing> done = new CompletableFuture<>();

  Flight(long sent, LeaseCall call, long cost, long returned) {
    this.sent = sent;
    this.call = call;
    this.cost = cost;
    this.returned = returned;
  }

  /** Whether waiting for this is worth while for a draw of so much. */
  boolean promises(long amount) {
    return call.asked() >= amount;
  }
}
