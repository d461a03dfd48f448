package io.weir.near.lease;

import io.weir.store.LeaseReport;
import io.weir.store.Store;
import io.weir.time.TimeSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Leases on their way back to the store: a few under way, the next when one is answered. A call to
 * end a lease is made once, and what it returns is lost if it is not heard in time.
 *
 * <p>What a call says is counted when its turn comes, so a lease that waits is whole: whoever still
 * has it in hand may take from it. One that was idle, and is taken from while it waits, stays.
 */
final class LeaseReturner {
  /**
   * Calls under way. So few that decisions hardly wait behind them, and that none waits long for
   * its own turn at one node.
   */
  static final int MAX_IN_FLIGHT = 8;

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private enum ReturnMode {
    WHILE_IDLE,
    FOR_GOOD
  }

  private record LeaseReturn(Lease lease, ReturnMode mode) {}

  private final Store store;
  private final TimeSource time;
  private final BoundedQueue<LeaseReturn> calls = new BoundedQueue<>(MAX_IN_FLIGHT, this::send);

  /** Leases that wait, are under way, or wait for a call about them that was made before. */
  private int open;

  private CompletableFuture<Void> allDone = CompletableFuture.completedFuture(null);

  LeaseReturner(Store store, TimeSource time) {
    this.store = store;
    this.time = time;
  }

  /** Ends leases that are not in use, unless they are when their turn comes. */
  void endIdle(List<Lease> leases) {
    add(leases, ReturnMode.WHILE_IDLE);
  }

  /**
   * Ends leases that nobody can find any more, in this order.
   *
   * @return completes when there is nothing left to be given back
   */
  CompletionStage<Void> endForGood(List<Lease> leases) {
    return add(leases, ReturnMode.FOR_GOOD);
  }

  private CompletionStage<Void> add(List<Lease> leases, ReturnMode end) {
    CompletableFuture<Void> done;
    synchronized (this) {
      if (open == 0 && !leases.isEmpty()) {
        allDone = new CompletableFuture<>();
      }
      done = allDone;
      open += leases.size();
    }
    calls.add(leases.stream().map(lease -> new LeaseReturn(lease, end)).toList());
    return done;
  }

  /** Whether nothing is on its way back. */
  synchronized boolean areDone() {
    return open == 0;
  }

  /** Gives up those that wait: the store is about to be closed. */
  void stop() {
    close(calls.drop());
  }

  // ---- one after the other

  private CompletionStage<?> send(LeaseReturn one) {
    try {
      return sendReturn(one);
    } catch (RuntimeException | Error e) {
      close(1);
      throw e;
    }
  }

  private CompletionStage<?> sendReturn(LeaseReturn one) {
    Lease lease = one.lease;
    LeaseReport last = null;
    if (one.mode == ReturnMode.FOR_GOOD) {
      do {
        LeaseRequest flight = lease.request();
        if (flight != null) {
          flight.done.whenComplete((heard, problem) -> calls.add(List.of(one)));
          return DONE;
        }
        last = lease.end(true, time.micros());
      } while (!lease.isRetired()); // a call is just beginning, or ending
    } else if (!lease.wasUsed()) {
      last = lease.end(false, time.micros());
    }
    CompletionStage<Void> told = last == null ? DONE : store.endLease(lease.pool, lease.key, last);
    return told.whenComplete((answer, problem) -> close(1));
  }

  private void close(int leases) {
    CompletableFuture<Void> done = null;
    synchronized (this) {
      open -= leases;
      done = open == 0 ? allDone : null;
    }
    if (done != null) {
      done.complete(null);
    }
  }
}
