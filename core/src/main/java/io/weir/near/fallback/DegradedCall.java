package io.weir.near.fallback;

import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.OnFail;
import io.weir.limit.TakeReceipt;
import io.weir.store.Draw;
import io.weir.store.ReservedPart;
import io.weir.store.TakeResult;
import java.util.ArrayList;
import java.util.List;

/**
 * One call that the shared store answered in part or not at all, on its way to a decision.
 *
 * <pre>
 *   heard: admits   admits   –        –        –          what the store said
 *   rule:                    open     local    closed     what was chosen for the rest
 *                            admits   asked    refuses
 *                                     here
 * </pre>
 */
public final class DegradedCall {
  private final List<Draw> draws;
  private final TakeResult heard;
  private final List<LimitStatus> standings;
  private final List<TakeReceipt> stamps = new ArrayList<>();

  /** The places of draws that are decided in memory. */
  private final List<Integer> near = new ArrayList<>();

  /** Whether nothing refuses the call, as far as is known without what is decided in memory. */
  private boolean passes = true;

  DegradedCall(List<Draw> draws, TakeResult heard) {
    this.draws = draws;
    this.heard = heard;
    this.standings = new ArrayList<>(heard.standings());
    for (int i = 0; i < standings.size(); i++) {
      Draw draw = draws.get(i);
      boolean answered = standings.get(i).answered();
      stamps.add(
          answered && !heard.stamps().isEmpty() ? heard.stamps().get(i) : TakeReceipt.NOWHERE);
      if (!answered && (draw.pool().onFail() == OnFail.LOCAL || exceedsCapacity(draw))) {
        near.add(i);
        continue;
      }
      if (!answered && draw.pool().onFail() == OnFail.OPEN) {
        standings.set(i, open(draw));
      }
      passes &= standings.get(i).allowed() || draw.mode() != Mode.ENFORCE;
    }
  }

  /** Whether the store answered for every draw. */
  static boolean hasAnswer(TakeResult taking) {
    List<LimitStatus> standings = taking.standings();
    for (int i = 0; i < standings.size(); i++) {
      if (!standings.get(i).answered()) {
        return false;
      }
    }
    return true;
  }

  private static LimitStatus open(Draw draw) {
    return draw.standing()
        .allowed(true)
        .remaining(draw.pool().meter().capacity())
        .degraded()
        .build();
  }

  /** Whether the limit refuses this whatever its state, so that no store need be asked. */
  public static boolean exceedsCapacity(Draw draw) {
    long capacity = draw.pool().meter().capacity();
    return capacity == 0 || draw.amount() > capacity;
  }

  /** What is to be decided in memory; only to be looked at if the call does not pass anyway. */
  List<Draw> near() {
    List<Draw> asked = new ArrayList<>(near.size());
    for (int place : near) {
      asked.add(passes ? draws.get(place) : draws.get(place).asLook());
    }
    return asked;
  }

  /** The decision, once memory has said its part. */
  TakeResult decided(TakeResult here) {
    for (int i = 0; i < near.size(); i++) {
      standings.set(near.get(i), here.standings().get(i));
      if (!here.stamps().isEmpty()) {
        stamps.set(near.get(i), here.stamps().get(i).onInstance());
      }
    }
    boolean taken = passes && here.taken();
    return new TakeResult(taken, standings, taken ? stamps : List.of(), heard.grants());
  }

  /** What the store took for this call, to be given back if it is refused. */
  List<ReservedPart> takenInStore() {
    List<ReservedPart> held = new ArrayList<>();
    for (int i = 0; i < heard.stamps().size(); i++) {
      Draw draw = draws.get(i);
      LimitStatus standing = heard.standings().get(i);
      if (standing.answered()
          && standing.allowed()
          && draw.amount() > 0
          && draw.intent() != Draw.Intent.LOOK) {
        held.add(
            new ReservedPart(draw.pool(), draw.key(), draw.amount(), 0, heard.stamps().get(i)));
      }
    }
    return held;
  }
}
