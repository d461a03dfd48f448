package io.weir.engine;

import io.weir.Call;
import io.weir.Decision;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.store.Draw;
import java.util.List;

/**
 * The result of a reservation for future calls.
 *
 * @param left if refused, the number of such calls that the limits would have admitted
 */
public record AdvanceReservation(Decision decision, long available) {
  public static AdvanceReservation of(Decision decision, List<Draw> draws) {
    long left = Call.MAX_COST;
    for (LimitStatus status : decision.statuses()) {
      if (status.mode() == Mode.ENFORCE) {
        left = Math.min(left, status.remaining() / Math.max(1, unit(status, draws)));
      }
    }
    return new AdvanceReservation(decision, left);
  }

  private static long unit(LimitStatus status, List<Draw> draws) {
    return draws.stream()
        .filter(draw -> isAbout(status, draw))
        .mapToLong(Draw::unit)
        .findFirst()
        .orElse(1);
  }

  /** Whether a status belongs to the limit of a draw, whatever its key. */
  private static boolean isAbout(LimitStatus status, Draw draw) {
    return status.name().equals(draw.pool().name()) && status.rule().equals(draw.pool().rule());
  }
}
