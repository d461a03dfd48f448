package io.weir.testkit.reference;

import io.weir.Algorithm;
import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.base.KeyEncoding;
import io.weir.limit.Meter;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.Pool;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** Calls that draw from several buckets, as the semantics define them: all or none. */
public final class ReferenceStore {
  private final ToLongFunction<Limit> clock;
  private final Map<Bucket, Reference> buckets = new HashMap<>();

  private record Bucket(String rule, String slot, Key key) {}

  /**
   * The result of a call.
   *
   * @param seen one per draw
   * @param receipts one per draw, to settle with
   */
  public record Answer(boolean taken, List<ObservedAnswer> seen, List<ReferenceReceipt> receipts) {}

  /**
   * An empty store.
   *
   * @param clock the time in µs that applies to a limit
   */
  public ReferenceStore(ToLongFunction<Limit> clock) {
    this.clock = clock;
  }

  /** Decides on a call. The returned numbers are those after the call, for every outcome. */
  public Answer take(long reservation, List<Draw> draws) {
    List<Reference> states = draws.stream().map(this::opened).toList();
    boolean[] admitted = new boolean[draws.size()];
    long[] delays = new long[draws.size()];
    boolean taken = true;
    for (int i = 0; i < admitted.length; i++) {
      delays[i] = states.get(i).delay();
      admitted[i] = admits(draws.get(i), states.get(i));
      taken &= admitted[i] || draws.get(i).mode() != Mode.ENFORCE;
    }
    List<ObservedAnswer> seen = new ArrayList<>();
    List<ReferenceReceipt> receipts = new ArrayList<>();
    for (int i = 0; i < admitted.length; i++) {
      Draw draw = draws.get(i);
      Reference state = states.get(i);
      if (taken && admitted[i] && takes(draw)) {
        state.take(draw.amount(), reservation);
      } else if (!admitted[i] && counts(draw)) {
        state.countDenied(draw.amount());
      }
      seen.add(seen(draw, state, admitted[i], delays[i]));
      receipts.add(state.receipt());
    }
    return new Answer(taken, seen, receipts);
  }

  /** The bucket as it is now. A look gets a copy, so that nothing is stored. */
  private Reference opened(Draw draw) {
    Reference state = bucket(draw.pool(), draw.key());
    if (draw.intent() == Intent.LOOK || draw.amount() == 0) {
      state = state.copy();
    }
    Limit limit = draw.pool().meter().limit();
    state.open(limit, clock.applyAsLong(limit));
    return state;
  }

  private static boolean admits(Draw draw, Reference state) {
    boolean mustGoAtOnce = draw.intent() == Intent.TAKE_NOW && draw.amount() > 0;
    return state.admits(draw.amount()) && !(mustGoAtOnce && state.delay() > 0);
  }

  /** Whether the draw takes; permits are only looked at unless they are to be held. */
  static boolean takes(Draw draw) {
    return switch (draw.intent()) {
      case LOOK -> false;
      case HOLD -> true;
      case TAKE, TAKE_NOW -> draw.pool().meter().limit().algorithm() != Algorithm.CONCURRENCY;
    };
  }

  /** Whether a refusal counts: only those of the rule itself, not of a shadow or a look. */
  private static boolean counts(Draw draw) {
    return draw.pool().countDenied() && draw.mode() == Mode.ENFORCE && draw.intent() != Intent.LOOK;
  }

  private static ObservedAnswer seen(Draw draw, Reference state, boolean admitted, long delay) {
    long retryAfter = admitted ? 0 : state.retryAfter(draw.amount());
    if (!admitted && draw.intent() == Intent.TAKE_NOW && retryAfter != Meter.NEVER) {
      retryAfter = Math.max(retryAfter, state.delay());
    }
    return new ObservedAnswer(
        admitted, state.remaining(), state.reset(), retryAfter, admitted ? delay : 0);
  }

  /** Settles one bucket's part in a reservation. */
  public void settle(Pool pool, Key key, long amount, long owed, ReferenceReceipt receipt) {
    Reference state = present(pool, key);
    if (owed < amount) {
      state.giveBack(amount - owed, receipt);
    } else {
      state.charge(owed - amount);
    }
  }

  /** Refunds an amount of what was taken last from one bucket. */
  public void refund(Pool pool, Key key, long amount) {
    present(pool, key).refund(amount);
  }

  /** Ends a reservation's permits in one bucket; false if none was held. */
  public boolean release(Pool pool, Key key, long reservation) {
    return holdsPermits(pool) && present(pool, key).release(reservation);
  }

  /** Restores the full life of a reservation's permits in one bucket; false if none was held. */
  public boolean renew(Pool pool, Key key, long reservation) {
    return holdsPermits(pool) && present(pool, key).renew(reservation);
  }

  private static boolean holdsPermits(Pool pool) {
    return pool.meter().limit().algorithm() == Algorithm.CONCURRENCY;
  }

  private Reference present(Pool pool, Key key) {
    Reference state = bucket(pool, key);
    Limit limit = pool.meter().limit();
    state.open(limit, clock.applyAsLong(limit));
    return state;
  }

  private Reference bucket(Pool pool, Key key) {
    return buckets.computeIfAbsent(
        new Bucket(pool.rule(), pool.slot(), key),
        b -> Reference.of(pool.meter().limit(), KeyEncoding.hash(pool.rule(), key.parts())));
  }
}
