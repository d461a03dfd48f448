package io.weir.engine;

import io.weir.Decision;
import io.weir.LimitStatus;
import io.weir.rule.index.RuleIndex;
import io.weir.store.Draw;
import io.weir.store.TakeResult;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Several calls that are decided as one: what they draw, each bucket once, and which standings are
 * about which call.
 */
public final class CallGroup {
  private final List<int[]> places = new ArrayList<>();
  private final List<@Nullable Decision> outright = new ArrayList<>();
  private final DrawMerger basket = new DrawMerger();
  private boolean refused;

  /** Adds a call that is decided without looking at any limit. */
  public void add(Decision decision) {
    outright.add(decision);
    places.add(new int[0]);
    refused |= !decision.allowed();
  }

  /** Adds a call that draws. */
  public void add(RuleIndex.DrawPlan drawing) {
    int[] at = new int[drawing.draws().size()];
    for (int i = 0; i < at.length; i++) {
      at[i] = basket.add(drawing.draws().get(i));
    }
    outright.add(null);
    places.add(at);
  }

  /** What all calls draw together; looks only, if one of them is refused in any case. */
  public List<Draw> draws() {
    return refused ? basket.draws().stream().map(Draw::asLook).toList() : basket.draws();
  }

  /** What came of these draws for each call, in order. */
  public List<Decision> decisions(TakeResult taking) {
    List<Decision> decisions = new ArrayList<>(places.size());
    for (int i = 0; i < places.size(); i++) {
      Decision known = outright.get(i);
      decisions.add(known == null ? Decision.of(own(places.get(i), taking)) : known);
    }
    return decisions;
  }

  /** What is about the draws of one call; not all were asked if the calls were refused before. */
  private static List<LimitStatus> own(int[] at, TakeResult taking) {
    List<LimitStatus> own = new ArrayList<>(at.length);
    for (int place : at) {
      taking.at(place).ifPresent(own::add);
    }
    return own;
  }
}
