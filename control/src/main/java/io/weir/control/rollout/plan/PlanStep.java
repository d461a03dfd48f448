package io.weir.control.rollout.plan;

import io.weir.base.RateSyntax;
import java.time.Duration;

/** One step of a plan. The rollout stays in it for its time, or longer if it is held. */
public sealed interface PlanStep {
  /** How long the step lasts. */
  Duration time();

  /** The share of keys, 0 to 100 percent, for which the new version is enforced. */
  int percent();

  /** The new version decides in shadow only. */
  record Shadow(Duration time) implements PlanStep {
    @Override
    public int percent() {
      return 0;
    }

    @Override
    public String toString() {
      return "shadow " + print(time);
    }
  }

  /** The new version is enforced for a share of keys. */
  record Share(int percent, Duration time) implements PlanStep {
    @Override
    public String toString() {
      return percent + "% " + print(time);
    }
  }

  /**
   * The new version is in force for all keys and still judged. It is always the last step; a time
   * of zero ends it at once.
   */
  record Bake(Duration time) implements PlanStep {
    @Override
    public int percent() {
      return 100;
    }

    @Override
    public String toString() {
      return time.isZero() ? "100%" : "100%; bake " + print(time);
    }
  }

  private static String print(Duration time) {
    String text = RateSyntax.print(time);
    return Character.isDigit(text.charAt(0)) ? text : "1" + text;
  }
}
