package io.weir.engine;

import io.weir.Call;
import io.weir.Decision;
import io.weir.LimitStatus;
import io.weir.rule.index.RuleIndex;
import io.weir.rule.penalty.RefusalCounter;
import io.weir.store.Draw;
import io.weir.store.TakeResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Several calls that are decided as one. Merges their draws, each bucket once, and assigns each
 * status to its calls.
 */
public final class CallGroup {
  private final List<int[]> drawIndexes = new ArrayList<>();
  private final List<@Nullable Decision> decided = new ArrayList<>();
  private final DrawMerger merger = new DrawMerger();
  private boolean refused;

  /** Adds a call. */
  void add(DrawPlanner planner, CompiledRules rules, Call call) {
    Decision bypassed = planner.bypass(rules, call, Draw.Intent.TAKE_NOW);
    if (bypassed != null) {
      add(bypassed);
      return;
    }
    RuleIndex.DrawPlan plan = planner.planCapped(rules, call, Draw.Intent.TAKE_NOW);
    if (DrawPlanner.isImmediate(plan)) {
      add(DrawPlanner.immediateDecision(plan));
    } else {
      add(plan);
    }
  }

  /** Adds a call that is decided without checking any limit. */
  public void add(Decision decision) {
    decided.add(decision);
    drawIndexes.add(new int[0]);
    refused |= !decision.allowed();
  }

  /** Adds a call with draws. */
  public void add(RuleIndex.DrawPlan plan) {
    int[] at = new int[plan.draws().size()];
    for (int i = 0; i < at.length; i++) {
      at[i] = merger.add(plan.draws().get(i));
    }
    decided.add(null);
    drawIndexes.add(at);
  }

  /** The merged draws of all calls. They take nothing if one of the calls is refused already. */
  public List<Draw> draws() {
    return refused ? merger.draws().stream().map(Draw::asLook).toList() : merger.draws();
  }

  /**
   * The decision on each call, in order, from the result of the merged draws.
   *
   * @param refusals counts those of calls that were refused themselves
   */
  public List<Decision> decisions(TakeResult result, RefusalCounter refusals) {
    List<Decision> decisions = new ArrayList<>(drawIndexes.size());
    for (int i = 0; i < drawIndexes.size(); i++) {
      Decision known = decided.get(i);
      int[] at = drawIndexes.get(i);
      decisions.add(
          known == null ? refusals.count(drawsAt(at), Decision.of(own(at, result))) : known);
    }
    return decisions;
  }

  private List<Draw> drawsAt(int[] at) {
    return Arrays.stream(at).mapToObj(draws()::get).toList();
  }

  /**
   * The statuses of one call's draws. Some are missing if the calls were refused before all draws
   * were checked.
   */
  private static List<LimitStatus> own(int[] at, TakeResult result) {
    List<LimitStatus> own = new ArrayList<>(at.length);
    for (int index : at) {
      result.at(index).ifPresent(own::add);
    }
    return own;
  }
}
