package io.weir;

import io.weir.store.Draw;
import java.util.List;

/**
 * What came of reserving for calls that are still to come.
 *
 * @param left of how many such calls the limits would have had room, where they were refused
 */
public record Ahead(Decision decision, long left) {
  static Ahead of(Decision decision, List<Draw> draws) {
    long left = Call.MAX_COST;
    for (Standing standing : decision.standings()) {
      if (standing.mode() == Mode.ENFORCE) {
        left = Math.min(left, standing.remaining() / Math.max(1, unit(standing, draws)));
      }
    }
    return new Ahead(decision, left);
  }

  private static long unit(Standing standing, List<Draw> draws) {
    return draws.stream()
        .filter(draw -> isAbout(standing, draw))
        .mapToLong(Draw::unit)
        .findFirst()
        .orElse(1);
  }

  /** Whether a standing belongs to the limit of a draw, whatever its key. */
  private static boolean isAbout(Standing standing, Draw draw) {
    return standing.name().equals(draw.pool().name()) && standing.rule().equals(draw.pool().rule());
  }
}
