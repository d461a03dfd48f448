package io.weir.near.lease;

import io.weir.store.LeaseReport;
import io.weir.store.Store;
import io.weir.time.TimeSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Returns leases to the store with a bounded number of requests in flight. A request to end a lease
 * is sent once; its tokens are lost if it does not arrive in time.
 *
 * <p>A report is built when its request is sent, so a waiting lease stays usable. An idle lease
 * that is used while it waits is kept.
 */
final class LeaseReturner {
  /**
   * Maximum requests in flight: few enough that decisions hardly wait behind them, and that none
   * waits long at a single node.
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

  /** Leases that wait, are being returned, or wait for an earlier request about them. */
  private int open;

  private CompletableFuture<Void> allDone = CompletableFuture.completedFuture(null);

  LeaseReturner(Store store, TimeSource time) {
    this.store = store;
    this.time = time;
  }

  /** Ends idle leases, unless they are used before their turn. */
  void endIdle(List<Lease> leases) {
    add(leases, ReturnMode.WHILE_IDLE);
  }

  /**
   * Ends leases that were removed from the table, in this order.
   *
   * @return completes when no lease is left to be returned
   */
  CompletionStage<Void> endForGood(List<Lease> leases) {
    return add(leases, ReturnMode.FOR_GOOD);
  }

  private CompletionStage<Void> add(List<Lease> leases, ReturnMode mode) {
    CompletableFuture<Void> done;
    synchronized (this) {
      if (open == 0 && !leases.isEmpty()) {
        allDone = new CompletableFuture<>();
      }
      done = allDone;
      open += leases.size();
    }
    calls.add(leases.stream().map(lease -> new LeaseReturn(lease, mode)).toList());
    return done;
  }

  /** Whether no lease is being returned. */
  synchronized boolean areDone() {
    return open == 0;
  }

  /** Drops waiting leases, as the store is about to be closed. */
  void stop() {
    close(calls.drop());
  }

  // ---- one return

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
        LeaseRequest request = lease.request();
        if (request != null) {
          request.done.whenComplete((answer, problem) -> calls.add(List.of(one)));
          return DONE;
        }
        last = lease.end(true, time.micros());
      } while (!lease.isRetired()); // a request is just starting or ending
    } else if (!lease.wasUsed()) {
      last = lease.end(false, time.micros());
    }
    CompletionStage<Void> sent = last == null ? DONE : store.endLease(lease.pool, lease.key, last);
    return sent.whenComplete((answer, problem) -> close(1));
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
