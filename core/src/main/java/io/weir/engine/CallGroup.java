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
  private final List<int[]> drawIndexes = new ArrayList<>();
  private final List<@Nullable Decision> decided = new ArrayList<>();
  private final DrawMerger merger = new DrawMerger();
  private boolean refused;

  /** Adds a call that is decided without looking at any limit. */
  public void add(Decision decision) {
    decided.add(decision);
    drawIndexes.add(new int[0]);
    refused |= !decision.allowed();
  }

  /** Adds a call that draws. */
  public void add(RuleIndex.DrawPlan plan) {
    int[] at = new int[plan.draws().size()];
    for (int i = 0; i < at.length; i++) {
      at[i] = merger.add(plan.draws().get(i));
    }
    decided.add(null);
    drawIndexes.add(at);
  }

  /** What all calls draw together; looks only, if one of them is refused in any case. */
  public List<Draw> draws() {
    return refused ? merger.draws().stream().map(Draw::asLook).toList() : merger.draws();
  }

  /** What came of these draws for each call, in order. */
  public List<Decision> decisions(TakeResult result) {
    List<Decision> decisions = new ArrayList<>(drawIndexes.size());
    for (int i = 0; i < drawIndexes.size(); i++) {
      Decision known = decided.get(i);
      decisions.add(known == null ? Decision.of(own(drawIndexes.get(i), result)) : known);
    }
    return decisions;
  }

  /** What is about the draws of one call; not all were asked if the calls were refused before. */
  private static List<LimitStatus> own(int[] at, TakeResult result) {
    List<LimitStatus> own = new ArrayList<>(at.length);
    for (int place : at) {
      result.at(place).ifPresent(own::add);
    }
    return own;
  }
}
