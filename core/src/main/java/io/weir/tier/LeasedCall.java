package io.weir.tier;

import io.weir.Mode;
import io.weir.OnFail;
import io.weir.Standing;
import io.weir.limit.Stamp;
import io.weir.store.Draw;
import io.weir.store.Taking;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One call on its way through {@link Leases}: which of its draws were answered from what is in
 * hand, and which the store has to be asked for. All or none are taken in the end.
 */
final class LeasedCall {
  private final Leases leases;
  private final long reservation;
  private final List<Draw> draws;
  private final boolean stamped;

  /** Whether all must be asked although one is known to refuse. */
  private final boolean countsRefusals;

  private final @Nullable Lease[] found;

  /** The receipt by which each draw was handed out, or {@link Tokens#NOTHING}. */
  private final long[] receipts;

  /** The window that each draw was handed out from. */
  private final long[] windows;

  /** Draws that the store was just heard not to answer. */
  private final BitSet away = new BitSet();

  /** When the decision began. */
  private long begun;

  /** Whether time of it has gone by, so that what is asked has less than a whole deadline. */
  private boolean further;

  LeasedCall(Leases leases, long reservation, List<Draw> draws, boolean stamped) {
    this.leases = leases;
    this.reservation = reservation;
    this.draws = draws;
    this.stamped = stamped;
    this.countsRefusals = Draw.anyCountsRefusals(draws);
    this.found = new Lease[draws.size()];
    this.receipts = new long[draws.size()];
    this.windows = new long[draws.size()];
  }

  CompletionStage<Taking> decide() {
    long now = leases.now();
    begun = Draw.begun(draws);
    further = begun != 0;
    begun = further ? begun : now;
    return decide(now, true);
  }

  private CompletionStage<Taking> decide(long now, boolean mayWait) {
    takeWhatIsInHand(now);
    Taking drained = firstDrained(now);
    if (drained != null) {
      putBack();
      return CompletableFuture.completedFuture(drained);
    }
    Taking closed = refusedUnasked();
    if (closed != null) {
      putBack();
      return CompletableFuture.completedFuture(closed);
    }
    int waitFor = mayWait ? firstToWaitFor() : -1;
    if (waitFor >= 0) {
      Flight flight = found[waitFor].flight();
      if (flight != null) {
        boolean outdated = found[waitFor].isOutdated(flight);
        putBack();
        return flight.done.thenCompose(heard -> afterWaiting(waitFor, flight, outdated, heard));
      }
    }
    return ask(now);
  }

  private void takeWhatIsInHand(long now) {
    Arrays.fill(receipts, Tokens.NOTHING);
    for (int i = 0; i < receipts.length; i++) {
      Draw draw = draws.get(i);
      Lease lease = leases.leaseFor(draw, now);
      found[i] = lease;
      if (lease != null && !draw.looks()) {
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
    if (receipts[place] != Tokens.NOTHING && lease.window() != windows[place]) {
      leases.putBack(lease, amount, receipts[place]);
      receipts[place] = Tokens.NOTHING;
    }
  }

  private boolean inHand(int place) {
    return receipts[place] != Tokens.NOTHING;
  }

  /** The first refusal by a bucket that is known to be empty. */
  private @Nullable Taking firstDrained(long now) {
    if (countsRefusals) {
      return null;
    }
    for (int i = 0; i < receipts.length; i++) {
      Lease lease = found[i];
      Draw draw = draws.get(i);
      if (lease != null
          && !inHand(i)
          && draw.mode() == Mode.ENFORCE
          && !draw.looks()
          && draw.amount() <= draw.pool().meter().capacity()) {
        Standing drained = lease.drained(draw, now);
        if (drained != null) {
          return Taking.refusedAt(i, drained);
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
  private @Nullable Taking refusedUnasked() {
    if (receipts.length == 1 || countsRefusals || !aClosedOneIsAway()) {
      return null;
    }
    List<Integer> places = new ArrayList<>(receipts.length);
    List<Draw> unanswered = new ArrayList<>(receipts.length);
    boolean spared = false;
    for (int i = 0; i < receipts.length; i++) {
      if (!inHand(i) && isAway(i)) {
        places.add(i);
        unanswered.add(draws.get(i));
      } else {
        spared |= !inHand(i) && !draws.get(i).looks();
      }
    }
    // Whoever only looks takes nothing, and wants to see all there is.
    return spared
        ? Taking.refused(leases.decideAlone(reservation, unanswered).standings(), places)
        : null;
  }

  private boolean aClosedOneIsAway() {
    for (int i = 0; i < receipts.length; i++) {
      Draw draw = draws.get(i);
      if (draw.mode() == Mode.ENFORCE
          && draw.pool().onFail() == OnFail.CLOSED
          && !inHand(i)
          && !Degraded.isHopeless(draw)
          && isAway(i)) {
        return true;
      }
    }
    return false;
  }

  private boolean isAway(int place) {
    Draw draw = draws.get(place);
    return away.get(place) || leases.isAway(draw.pool(), draw.key());
  }

  private int firstToWaitFor() {
    for (int i = 0; i < receipts.length; i++) {
      Lease lease = found[i];
      if (lease != null && !inHand(i) && !draws.get(i).looks()) {
        Flight flight = lease.flight();
        if (flight != null && flight.promises(draws.get(i).amount()) && endsInTime(flight)) {
          return i;
        }
      }
    }
    return -1;
  }

  /** All calls take equally long at most, so one that was sent before is over before. */
  private boolean endsInTime(Flight flight) {
    return !further || flight.sent - begun <= 0;
  }

  /**
   * Whoever waited shares what the call brought: tokens, a refusal, or no answer at all.
   *
   * @param outdated whether something had come back to the bucket before the wait began; then a
   *     refusal says nothing
   */
  private CompletionStage<Taking> afterWaiting(
      int place, Flight flight, boolean outdated, Standing heard) {
    Draw draw = draws.get(place);
    if (heard.degraded()) {
      away.set(place);
    } else if (!heard.allowed()
        && !outdated
        && draw.mode() == Mode.ENFORCE
        && draw.amount() >= flight.cost
        && !countsRefusals) {
      Standing again = found[place].refused(repeated(draw, heard), leases.now());
      return CompletableFuture.completedFuture(Taking.refusedAt(place, again));
    }
    further = true;
    return decide(leases.now(), false);
  }

  private static Standing repeated(Draw draw, Standing heard) {
    return draw.standing()
        .remaining(heard.remaining())
        .reset(heard.resetMicros())
        .retryAfter(heard.retryAfterMicros())
        .source(heard.source())
        .build();
  }

  // ---- asking for the rest

  private CompletionStage<Taking> ask(long now) {
    List<Integer> far = new ArrayList<>(receipts.length);
    for (int i = 0; i < receipts.length; i++) {
      if (!inHand(i)) {
        far.add(i);
      }
    }
    if (far.isEmpty()) {
      return CompletableFuture.completedFuture(answer(now, far, null));
    }
    @Nullable Flight[] flights = new Flight[receipts.length];
    return ask(far, flights, now)
        .handle(
            (taking, problem) -> {
              for (int i = 0; i < far.size(); i++) {
                int place = far.get(i);
                if (flights[place] != null) {
                  leases.settle(found[place], flights[place], draws.get(place), taking, i);
                }
              }
              if (problem != null) {
                putBack();
                throw new CompletionException(problem);
              }
              return answer(leases.now(), far, taking);
            });
  }

  /**
   * Claims what leases there are, and asks. A failure to ask is a failure to answer: claims must be
   * let go either way.
   */
  private CompletionStage<Taking> ask(List<Integer> far, @Nullable Flight[] flights, long now) {
    try {
      List<Draw> asked = new ArrayList<>(far.size());
      BitSet farAway = new BitSet();
      for (int i : far) {
        Draw draw = draws.get(i);
        Lease lease = found[i];
        // Others may come to wait for a call about a lease, so it has to have its whole deadline.
        flights[i] =
            lease == null || draw.looks() || further ? null : lease.claim(draw.amount(), now);
        farAway.set(asked.size(), away.get(i));
        asked.add(
            further
                ? draw.again(begun)
                : flights[i] == null ? draw : draw.telling(flights[i].call));
      }
      return leases.ask(reservation, asked, farAway, stamped);
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void putBack() {
    for (int i = 0; i < receipts.length; i++) {
      Lease lease = found[i];
      if (lease != null && inHand(i)) {
        leases.putBack(lease, draws.get(i).amount(), receipts[i]);
      }
    }
  }

  // ---- answering

  private Taking answer(long now, List<Integer> far, @Nullable Taking there) {
    boolean taken = there == null || there.taken();
    if (!taken) {
      putBack(); // before more is asked for: that would report it as used
    }
    List<Standing> standings = new ArrayList<>(receipts.length);
    List<Stamp> stamps = new ArrayList<>();
    int fromThere = 0;
    for (int i = 0; i < receipts.length; i++) {
      Lease lease = found[i];
      if (lease != null && inHand(i)) {
        long left = lease.left(now);
        if (taken) {
          leases.refillIfLow(lease, left, now);
        }
        standings.add(lease.standing(draws.get(i), left, now));
        stamps.add(new Stamp(windows[i], 0).madeAt(lease.storeTime(now)));
      } else {
        standings.add(told(i, there.standings().get(fromThere), now));
        stamps.add(there.stamps().isEmpty() ? new Stamp(0, 0) : there.stamps().get(fromThere));
        fromThere++;
      }
    }
    return new Taking(taken, standings, stamped && taken ? stamps : List.of());
  }

  /** What the store said, by what is known of the lease. */
  private Standing told(int place, Standing there, long now) {
    Lease lease = found[place];
    if (lease == null || there.degraded()) {
      return there;
    }
    Standing with = withLease(draws.get(place), lease.left(now), there);
    return countsRefusals || draws.get(place).looks() ? with : lease.refused(with, now);
  }

  /** What is in hand could be taken too; whoever only looks would be admitted by it. */
  private static Standing withLease(Draw draw, long left, Standing there) {
    if (left == 0) {
      return there;
    }
    Standing.Builder with = there.edit().remaining(there.remaining() + left);
    return (draw.looks() && draw.amount() <= left ? with.allowed(true).retryAfter(0) : with)
        .build();
  }
}
