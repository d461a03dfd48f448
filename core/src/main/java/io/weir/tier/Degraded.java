package io.weir.tier;

import io.weir.Mode;
import io.weir.OnFail;
import io.weir.Standing;
import io.weir.limit.Stamp;
import io.weir.store.Draw;
import io.weir.store.Held;
import io.weir.store.Taking;
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
final class Degraded {
  private final List<Draw> draws;
  private final Taking heard;
  private final List<Standing> standings;
  private final List<Stamp> stamps = new ArrayList<>();

  /** The places of draws that are decided in memory. */
  private final List<Integer> near = new ArrayList<>();

  /** Whether nothing refuses the call, as far as is known without what is decided in memory. */
  private boolean passes = true;

  Degraded(List<Draw> draws, Taking heard) {
    this.draws = draws;
    this.heard = heard;
    this.standings = new ArrayList<>(heard.standings());
    for (int i = 0; i < standings.size(); i++) {
      Draw draw = draws.get(i);
      boolean answered = standings.get(i).answered();
      stamps.add(answered && !heard.stamps().isEmpty() ? heard.stamps().get(i) : Stamp.NOWHERE);
      if (!answered && (draw.pool().onFail() == OnFail.LOCAL || isHopeless(draw))) {
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
  static boolean isHeard(Taking taking) {
    List<Standing> standings = taking.standings();
    for (int i = 0; i < standings.size(); i++) {
      if (!standings.get(i).answered()) {
        return false;
      }
    }
    return true;
  }

  private static Standing open(Draw draw) {
    return draw.standing()
        .allowed(true)
        .remaining(draw.pool().meter().capacity())
        .degraded()
        .build();
  }

  /** Whether the limit refuses this whatever its state, so that no store need be asked. */
  static boolean isHopeless(Draw draw) {
    long capacity = draw.pool().meter().capacity();
    return capacity == 0 || draw.amount() > capacity;
  }

  /** What is to be decided in memory; only to be looked at if the call does not pass anyway. */
  List<Draw> near() {
    List<Draw> asked = new ArrayList<>(near.size());
    for (int place : near) {
      asked.add(passes ? draws.get(place) : draws.get(place).looking());
    }
    return asked;
  }

  /** The decision, once memory has said its part. */
  Taking decided(Taking here) {
    for (int i = 0; i < near.size(); i++) {
      standings.set(near.get(i), here.standings().get(i));
      if (!here.stamps().isEmpty()) {
        stamps.set(near.get(i), here.stamps().get(i).onInstance());
      }
    }
    boolean taken = passes && here.taken();
    return new Taking(taken, standings, taken ? stamps : List.of(), heard.grants());
  }

  /** What the store took for this call, to be given back if it is refused. */
  List<Held> tookThere() {
    List<Held> held = new ArrayList<>();
    for (int i = 0; i < heard.stamps().size(); i++) {
      Draw draw = draws.get(i);
      Standing standing = heard.standings().get(i);
      if (standing.answered()
          && standing.allowed()
          && draw.amount() > 0
          && draw.intent() != Draw.Intent.LOOK) {
        held.add(new Held(draw.pool(), draw.key(), draw.amount(), 0, heard.stamps().get(i)));
      }
    }
    return held;
  }
}
