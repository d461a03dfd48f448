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
 * One call on its way through {@link LeaseStore}: which of its draws were answered from what is in
 * hand, and which the store has to be asked for. All or none are taken in the end.
 */
final class LeaseAttempt {
  private final LeaseStore store;
  private final long reservation;
  private final List<Draw> draws;
  private final boolean withReceipts;

  /** Whether all must be asked although one is known to refuse. */
  private final boolean countsRefusals;

  private final @Nullable Lease[] found;

  /** The receipt by which each draw was handed out, or {@link StripedTokens#NOTHING}. */
  private final long[] receipts;

  /** The window that each draw was handed out from. */
  private final long[] windows;

  /** Draws that the store was just heard not to answer. */
  private final BitSet unavailable = new BitSet();

  /** When the decision began. */
  private long started;

  /** Whether time of it has gone by, so that what is asked has less than a whole deadline. */
  private boolean isFollowUp;

  LeaseAttempt(LeaseStore leases, long reservation, List<Draw> draws, boolean stamped) {
    this.store = leases;
    this.reservation = reservation;
    this.draws = draws;
    this.withReceipts = stamped;
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
    int waitFor = mayWait ? firstToWaitFor() : -1;
    if (waitFor >= 0) {
      LeaseRequest flight = found[waitFor].request();
      if (flight != null) {
        boolean outdated = found[waitFor].isOutdated(flight);
        putBack();
        return flight.done.thenCompose(heard -> afterWaiting(waitFor, flight, outdated, heard));
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
   * The window is read before and after: tokens of an old window are never taken for those of a new
   * one, to which a reservation could later give them back.
   */
  private void takeFrom(Lease lease, int place, long now) {
    long amount = draws.get(place).amount();
    windows[place] = lease.window();
    receipts[place] = lease.take(amount, now);
    if (receipts[place] != StripedTokens.NOTHING && lease.window() != windows[place]) {
      store.putBack(lease, amount, receipts[place]);
      receipts[place] = StripedTokens.NOTHING;
    }
  }

  private boolean isLeased(int place) {
    return receipts[place] != StripedTokens.NOTHING;
  }

  /** The first refusal by a bucket that is known to be empty. */
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
   * The refusal of a call that a closed rule refuses whatever other nodes say, as its own is known
   * to be away. They would take, and have to be told to give it back. It speaks of the draws that
   * are away.
   */
  private @Nullable TakeResult refuseWithoutRequest() {
    if (receipts.length == 1 || countsRefusals || !isFailClosedUnavailable()) {
      return null;
    }
    List<Integer> places = new ArrayList<>(receipts.length);
    List<Draw> unanswered = new ArrayList<>(receipts.length);
    boolean spared = false;
    for (int i = 0; i < receipts.length; i++) {
      if (!isLeased(i) && isUnavailable(i)) {
        places.add(i);
        unanswered.add(draws.get(i));
      } else {
        spared |= !isLeased(i) && !draws.get(i).isLook();
      }
    }
    // Whoever only looks takes nothing, and wants to see all there is.
    return spared
        ? TakeResult.refused(store.decideLocally(reservation, unanswered).statuses(), places)
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

  private boolean isUnavailable(int place) {
    Draw draw = draws.get(place);
    return unavailable.get(place) || store.isUnavailable(draw.pool(), draw.key());
  }

  private int firstToWaitFor() {
    for (int i = 0; i < receipts.length; i++) {
      Lease lease = found[i];
      if (lease != null && !isLeased(i) && !draws.get(i).isLook()) {
        LeaseRequest flight = lease.request();
        if (flight != null && flight.mayCover(draws.get(i).amount()) && endsInTime(flight)) {
          return i;
        }
      }
    }
    return -1;
  }

  /** All calls take equally long at most, so one that was sent before is over before. */
  private boolean endsInTime(LeaseRequest flight) {
    return !isFollowUp || flight.sent - started <= 0;
  }

  /**
   * Whoever waited shares what the call brought: tokens, a refusal, or no answer at all.
   *
   * @param outdated whether something had come back to the bucket before the wait began; then a
   *     refusal says nothing
   */
  private CompletionStage<TakeResult> afterWaiting(
      int place, LeaseRequest flight, boolean outdated, LimitStatus heard) {
    Draw draw = draws.get(place);
    if (heard.degraded()) {
      unavailable.set(place);
    } else if (!heard.allowed()
        && !outdated
        && draw.mode() == Mode.ENFORCE
        && draw.amount() >= flight.cost
        && !countsRefusals) {
      LimitStatus again = found[place].withBackoff(sharedRefusal(draw, heard), store.now());
      return CompletableFuture.completedFuture(TakeResult.refusedAt(place, again));
    }
    isFollowUp = true;
    return decide(store.now(), false);
  }

  private static LimitStatus sharedRefusal(Draw draw, LimitStatus heard) {
    return draw.statusBuilder()
        .remaining(heard.remaining())
        .reset(heard.resetMicros())
        .retryAfter(heard.retryAfterMicros())
        .source(heard.source())
        .build();
  }

  // ---- asking for the rest

  private CompletionStage<TakeResult> requestRest(long now) {
    List<Integer> far = new ArrayList<>(receipts.length);
    for (int i = 0; i < receipts.length; i++) {
      if (!isLeased(i)) {
        far.add(i);
      }
    }
    if (far.isEmpty()) {
      return CompletableFuture.completedFuture(answer(now, far, null));
    }
    @Nullable LeaseRequest[] flights = new LeaseRequest[receipts.length];
    return send(far, flights, now)
        .handle(
            (taking, problem) -> {
              for (int i = 0; i < far.size(); i++) {
                int place = far.get(i);
                if (flights[place] != null) {
                  store.settle(found[place], flights[place], draws.get(place), taking, i);
                }
              }
              if (problem != null) {
                putBack();
                throw new CompletionException(problem);
              }
              return answer(store.now(), far, taking);
            });
  }

  /**
   * Claims what leases there are, and asks. A failure to ask is a failure to answer: claims must be
   * let go either way.
   */
  private CompletionStage<TakeResult> send(
      List<Integer> far, @Nullable LeaseRequest[] flights, long now) {
    try {
      List<Draw> asked = new ArrayList<>(far.size());
      BitSet farAway = new BitSet();
      for (int i : far) {
        Draw draw = draws.get(i);
        Lease lease = found[i];
        // Others may come to wait for a call about a lease, so it has to have its whole deadline.
        flights[i] =
            lease == null || draw.isLook() || isFollowUp ? null : lease.claim(draw.amount(), now);
        farAway.set(asked.size(), unavailable.get(i));
        asked.add(
            isFollowUp
                ? draw.retryOf(started)
                : flights[i] == null ? draw : draw.withLease(flights[i].report));
      }
      return store.request(reservation, asked, farAway, withReceipts);
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

  // ---- answering

  private TakeResult answer(long now, List<Integer> far, @Nullable TakeResult there) {
    boolean taken = there == null || there.taken();
    if (!taken) {
      putBack(); // before more is asked for: that would report it as used
    }
    List<LimitStatus> standings = new ArrayList<>(receipts.length);
    List<TakeReceipt> stamps = new ArrayList<>();
    int fromThere = 0;
    for (int i = 0; i < receipts.length; i++) {
      Lease lease = found[i];
      if (lease != null && isLeased(i)) {
        long left = lease.left(now);
        if (taken) {
          store.refillIfLow(lease, left, now);
        }
        standings.add(lease.status(draws.get(i), left, now));
        stamps.add(new TakeReceipt(windows[i], 0).madeAt(lease.storeTime(now)));
      } else {
        standings.add(mergeWithLease(i, there.statuses().get(fromThere), now));
        stamps.add(
            there.receipts().isEmpty() ? new TakeReceipt(0, 0) : there.receipts().get(fromThere));
        fromThere++;
      }
    }
    return new TakeResult(taken, standings, withReceipts && taken ? stamps : List.of());
  }

  /** What the store said, by what is known of the lease. */
  private LimitStatus mergeWithLease(int place, LimitStatus there, long now) {
    Lease lease = found[place];
    if (lease == null || there.degraded()) {
      return there;
    }
    LimitStatus with = withLease(draws.get(place), lease.left(now), there);
    return countsRefusals || draws.get(place).isLook() ? with : lease.withBackoff(with, now);
  }

  /** What is in hand could be taken too; whoever only looks would be admitted by it. */
  private static LimitStatus withLease(Draw draw, long left, LimitStatus there) {
    if (left == 0) {
      return there;
    }
    LimitStatus.Builder with = there.edit().remaining(there.remaining() + left);
    return (draw.isLook() && draw.amount() <= left ? with.allowed(true).retryAfter(0) : with)
        .build();
  }
}
