package io.weir;

import io.weir.rule.RuleIndex;
import io.weir.store.Basket;
import io.weir.store.Draw;
import io.weir.store.Taking;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Several calls that are decided as one: what they draw, each bucket once, and which standings are
 * about which call.
 */
final class Together {
  private final List<int[]> places = new ArrayList<>();
  private final List<@Nullable Decision> outright = new ArrayList<>();
  private final Basket basket = new Basket();
  private boolean refused;

  /** Adds a call that is decided without looking at any limit. */
  void add(Decision decision) {
    outright.add(decision);
    places.add(new int[0]);
    refused |= !decision.allowed();
  }

  /** Adds a call that draws. */
  void add(RuleIndex.Drawing drawing) {
    int[] at = new int[drawing.draws().size()];
    for (int i = 0; i < at.length; i++) {
      at[i] = basket.add(drawing.draws().get(i));
    }
    outright.add(null);
    places.add(at);
  }

  /** What all calls draw together; looks only, if one of them is refused in any case. */
  List<Draw> draws() {
    return refused ? basket.draws().stream().map(Draw::looking).toList() : basket.draws();
  }

  /** What came of these draws for each call, in order. */
  List<Decision> decisions(Taking taking) {
    List<Decision> decisions = new ArrayList<>(places.size());
    for (int i = 0; i < places.size(); i++) {
      Decision known = outright.get(i);
      decisions.add(known == null ? Decision.of(own(places.get(i), taking)) : known);
    }
    return decisions;
  }

  /** What is about the draws of one call; not all were asked if the calls were refused before. */
  private static List<Standing> own(int[] at, Taking taking) {
    List<Standing> own = new ArrayList<>(at.length);
    for (int place : at) {
      taking.at(place).ifPresent(own::add);
    }
    return own;
  }
}
