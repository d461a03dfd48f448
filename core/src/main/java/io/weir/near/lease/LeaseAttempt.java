package io.weir.near.lease;

import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.OnFail;
import io.weir.limit.TakeReceipt;
import io.weir.near.fallback.DegradedCall;
import io.weir.store.Draw;
import io.weir.store.TakeResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One call on its way through {@link LeaseStore}: takes the draws that leases cover and requests
 * the rest from the store. All or none are taken in the end.
 */
final class LeaseAttempt {
  private final LeaseStore store;
  private final long reservation;
  private final List<Draw> draws;
  private final boolean withReceipts;

  /**
   * Whether a draw counts refusals, so that all draws must reach the store even if one is known to
   * refuse.
   */
  private final boolean countsRefusals;

  private final @Nullable Lease[] found;

  /** The token receipt of each draw, or {@link StripedTokens#NOTHING}. */
  private final long[] receipts;

  /** The window that each draw's tokens belong to. */
  private final long[] windows;

  /** Draws for which a shared request has just got no answer. */
  private final BitSet unavailable = new BitSet();

  /** Start of the decision, in µs. */
  private long started;

  /** Whether part of the decision's deadline has already passed. */
  private boolean isFollowUp;

  LeaseAttempt(LeaseStore store, long reservation, List<Draw> draws, boolean withReceipts) {
    this.store = store;
    this.reservation = reservation;
    this.draws = draws;
    this.withReceipts = withReceipts;
    this.countsRefusals = Draw.anyCountsRefusals(draws);
    this.found = new Lease[draws.size()];
    this.receipts = new long[draws.size()];
    this.windows = new long[draws.size()];
  }

  CompletionStage<TakeResult> decide() {
    long now = store.now();
    started = Draw.startOf(draws);
    isFollowUp = started != 0;
    started = isFollowUp ? started : now;
    return decide(now, true);
  }

  private CompletionStage<TakeResult> decide(long now, boolean mayWait) {
    takeFromLeases(now);
    TakeResult drained = firstDrained(now);
    if (drained != null) {
      putBack();
      return CompletableFuture.completedFuture(drained);
    }
    TakeResult closed = refuseWithoutRequest();
    if (closed != null) {
      putBack();
      return CompletableFuture.completedFuture(closed);
    }
    int waitIndex = mayWait ? firstToWaitFor() : -1;
    if (waitIndex >= 0) {
      LeaseRequest request = found[waitIndex].request();
      if (request != null) {
        boolean outdated = found[waitIndex].isOutdated(request);
        putBack();
        return request.done.thenCompose(
            status -> afterWaiting(waitIndex, request, outdated, status));
      }
    }
    return requestRest(now);
  }

  private void takeFromLeases(long now) {
    Arrays.fill(receipts, StripedTokens.NOTHING);
    for (int i = 0; i < receipts.length; i++) {
      Draw draw = draws.get(i);
      Lease lease = store.leaseFor(draw, now);
      found[i] = lease;
      if (lease != null && !draw.isLook()) {
        takeFrom(lease, i, now);
      }
    }
  }

  /**
   * Takes from a lease. The window is read before and after the take, so that tokens of an old
   * window are never booked to a new one, to which a reservation could later give them back.
   */
  private void takeFrom(Lease lease, int index, long now) {
    long amount = draws.get(index).amount();
    windows[index] = lease.window();
    receipts[index] = lease.take(amount, now);
    if (receipts[index] != StripedTokens.NOTHING && lease.window() != windows[index]) {
      store.putBack(lease, amount, receipts[index]);
      receipts[index] = StripedTokens.NOTHING;
    }
  }

  private boolean isLeased(int index) {
    return receipts[index] != StripedTokens.NOTHING;
  }

  /** The first refusal by a bucket that is known to be empty; null if there is none. */
  private @Nullable TakeResult firstDrained(long now) {
    if (countsRefusals) {
      return null;
    }
    for (int i = 0; i < receipts.length; i++) {
      Lease lease = found[i];
      Draw draw = draws.get(i);
      if (lease != null
          && !isLeased(i)
          && draw.mode() == Mode.ENFORCE
          && !draw.isLook()
          && draw.amount() <= draw.pool().meter().capacity()) {
        LimitStatus drained = lease.drainedStatus(draw, now);
        if (drained != null) {
          return TakeResult.refusedAt(i, drained);
        }
      }
    }
    return null;
  }

  /**
   * The refusal of a call with a {@code closed} rule whose node is known to be unavailable; else
   * null. Other nodes are not asked: they would take tokens that have to be given back. The result
   * has the unavailable draws only.
   */
  private @Nullable TakeResult refuseWithoutRequest() {
    if (receipts.length == 1 || countsRefusals || !isFailClosedUnavailable()) {
      return null;
    }
    List<Integer> indexes = new ArrayList<>(receipts.length);
    List<Draw> unanswered = new ArrayList<>(receipts.length);
    boolean spared = false;
    for (int i = 0; i < receipts.length; i++) {
      if (!isLeased(i) && isUnavailable(i)) {
        indexes.add(i);
        unanswered.add(draws.get(i));
      } else {
        spared |= !isLeased(i) && !draws.get(i).isLook();
      }
    }
    // A look takes nothing and reports every limit, so it is always sent.
    return spared
        ? TakeResult.refused(store.decideLocally(reservation, unanswered).statuses(), indexes)
        : null;
  }

  private boolean isFailClosedUnavailable() {
    for (int i = 0; i < receipts.length; i++) {
      Draw draw = draws.get(i);
      if (draw.mode() == Mode.ENFORCE
          && draw.pool().onFail() == OnFail.CLOSED
          && !isLeased(i)
          && !DegradedCall.exceedsCapacity(draw)
          && isUnavailable(i)) {
        return true;
      }
    }
    return false;
  }

  private boolean isUnavailable(int index) {
    Draw draw = draws.get(index);
    return unavailable.get(index) || store.isUnavailable(draw.pool(), draw.key());
  }

  private int firstToWaitFor() {
    for (int i = 0; i < receipts.length; i++) {
      Lease lease = found[i];
      if (lease != null && !isLeased(i) && !draws.get(i).isLook()) {
        LeaseRequest request = lease.request();
        if (request != null && request.mayCover(draws.get(i).amount()) && endsInTime(request)) {
          return i;
        }
      }
    }
    return -1;
  }

  /**
   * All requests have the same timeout, so a request sent before this decision began ends before
   * its deadline.
   */
  private boolean endsInTime(LeaseRequest request) {
    return !isFollowUp || request.sent - started <= 0;
  }

  /**
   * Continues after waiting for another call's request, and shares its result: tokens, a refusal,
   * or no answer.
   *
   * @param outdated whether tokens were returned to the bucket before the wait began; then a
   *     refusal is not shared
   */
  private CompletionStage<TakeResult> afterWaiting(
      int index, LeaseRequest request, boolean outdated, LimitStatus status) {
    Draw draw = draws.get(index);
    if (status.degraded()) {
      unavailable.set(index);
    } else if (!status.allowed()
        && !outdated
        && draw.mode() == Mode.ENFORCE
        && draw.amount() >= request.cost
        && !countsRefusals) {
      LimitStatus again = found[index].withBackoff(sharedRefusal(draw, status), store.now());
      return CompletableFuture.completedFuture(TakeResult.refusedAt(index, again));
    }
    isFollowUp = true;
    return decide(store.now(), false);
  }

  private static LimitStatus sharedRefusal(Draw draw, LimitStatus status) {
    return draw.statusBuilder()
        .remaining(status.remaining())
        .reset(status.resetMicros())
        .retryAfter(status.retryAfterMicros())
        .source(status.source())
        .build();
  }

  // ---- requesting the rest

  private CompletionStage<TakeResult> requestRest(long now) {
    List<Integer> rest = new ArrayList<>(receipts.length);
    for (int i = 0; i < receipts.length; i++) {
      if (!isLeased(i)) {
        rest.add(i);
      }
    }
    if (rest.isEmpty()) {
      return CompletableFuture.completedFuture(answer(now, rest, null));
    }
    @Nullable LeaseRequest[] requests = new LeaseRequest[receipts.length];
    return send(rest, requests, now)
        .handle(
            (result, problem) -> {
              for (int i = 0; i < rest.size(); i++) {
                int index = rest.get(i);
                if (requests[index] != null) {
                  store.applyResult(found[index], requests[index], draws.get(index), result, i);
                }
              }
              if (problem != null) {
                putBack();
                throw new CompletionException(problem);
              }
              return answer(store.now(), rest, result);
            });
  }

  /**
   * Claims the leases and sends the request. An error while sending counts as no answer: claims
   * must be released either way.
   */
  private CompletionStage<TakeResult> send(
      List<Integer> rest, @Nullable LeaseRequest[] requests, long now) {
    try {
      List<Draw> sent = new ArrayList<>(rest.size());
      BitSet restUnavailable = new BitSet();
      for (int i : rest) {
        Draw draw = draws.get(i);
        Lease lease = found[i];
        // Other calls may wait for a lease request, so it must have its whole deadline.
        requests[i] =
            lease == null || draw.isLook() || isFollowUp ? null : lease.claim(draw.amount(), now);
        restUnavailable.set(sent.size(), unavailable.get(i));
        sent.add(
            isFollowUp
                ? draw.retryOf(started)
                : requests[i] == null ? draw : draw.withLease(requests[i].report));
      }
      return store.request(reservation, sent, restUnavailable, withReceipts);
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void putBack() {
    for (int i = 0; i < receipts.length; i++) {
      Lease lease = found[i];
      if (lease != null && isLeased(i)) {
        store.putBack(lease, draws.get(i).amount(), receipts[i]);
      }
    }
  }

  // ---- the result

  private TakeResult answer(long now, List<Integer> rest, @Nullable TakeResult response) {
    boolean taken = response == null || response.taken();
    if (!taken) {
      putBack(); // before a refill, whose report would count them as used
    }
    List<LimitStatus> statuses = new ArrayList<>(receipts.length);
    List<TakeReceipt> takeReceipts = new ArrayList<>();
    int next = 0;
    for (int i = 0; i < receipts.length; i++) {
      Lease lease = found[i];
      if (lease != null && isLeased(i)) {
        long left = lease.left(now);
        if (taken) {
          store.refillIfLow(lease, left, now);
        }
        statuses.add(lease.status(draws.get(i), left, now));
        takeReceipts.add(new TakeReceipt(windows[i], 0).madeAt(lease.storeTime(now)));
      } else {
        statuses.add(mergeWithLease(i, response.statuses().get(next), now));
        takeReceipts.add(
            response.receipts().isEmpty() ? new TakeReceipt(0, 0) : response.receipts().get(next));
        next++;
      }
    }
    return new TakeResult(taken, statuses, withReceipts && taken ? takeReceipts : List.of());
  }

  /** The store's status, adjusted by the tokens and the back-off of the lease. */
  private LimitStatus mergeWithLease(int index, LimitStatus response, long now) {
    Lease lease = found[index];
    if (lease == null || response.degraded()) {
      return response;
    }
    LimitStatus with = withLease(draws.get(index), lease.left(now), response);
    return countsRefusals || draws.get(index).isLook() ? with : lease.withBackoff(with, now);
  }

  /** Adds leased tokens to the remaining amount; a look that they cover is admitted. */
  private static LimitStatus withLease(Draw draw, long left, LimitStatus response) {
    if (left == 0) {
      return response;
    }
    LimitStatus.Builder with = response.edit().remaining(response.remaining() + left);
    return (draw.isLook() && draw.amount() <= left ? with.allowed(true).retryAfter(0) : with)
        .build();
  }
}
