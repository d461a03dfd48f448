package io.weir.control.rollout.plan;

import io.weir.base.RateSyntax;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Reads the steps of a plan, and checks them. */
final class PlanParser {
  private static final int MAX_STEPS = 20;
  private static final int MAX_TEXT = 1000;
  private static final Duration SHORTEST = Duration.ofSeconds(1);
  private static final Duration LONGEST = Duration.ofDays(7);
  private static final String FEW_KEYS = "few_keys:";
  private static final String BAKE = "bake";
  private static final String SHADOW = "shadow";

  private PlanParser() {}

  static RolloutPlan steps(String text) {
    if (text.length() > MAX_TEXT) {
      throw refused("a plan has at most " + MAX_TEXT + " characters");
    }
    List<PlanStep> steps = new ArrayList<>();
    FewKeys fewKeys = FewKeys.HOLD;
    boolean inForce = false;
    boolean baked = false;
    for (String part : text.split(";", -1)) {
      String words = part.strip();
      if (words.startsWith(FEW_KEYS)) {
        fewKeys = fewKeys(words.substring(FEW_KEYS.length()).strip());
        continue;
      }
      if (baked) {
        throw refused("'" + words + "' comes after bake; bake is the last step");
      }
      if (words.equals("100%")) {
        if (inForce) {
          throw refused("100% is named twice");
        }
        inForce = true;
      } else if (startsWith(words, BAKE)) {
        if (!inForce && (steps.isEmpty() || last(steps).percent() < 100)) {
          throw refused("bake comes before 100%; write 100%; " + words);
        }
        steps.add(new PlanStep.Bake(time(words, BAKE)));
        baked = true;
      } else if (inForce) {
        throw refused("'" + words + "' comes after 100%; only bake may follow");
      } else {
        steps.add(step(words));
      }
    }
    if (!baked) {
      if (!inForce && (steps.isEmpty() || last(steps).percent() < 100)) {
        throw refused("it must end with 100%, and may then bake");
      }
      steps.add(new PlanStep.Bake(Duration.ZERO));
    }
    return new RolloutPlan(steps, fewKeys);
  }

  private static boolean startsWith(String words, String keyword) {
    return words.equals(keyword) || words.startsWith(keyword + " ");
  }

  private static PlanStep step(String words) {
    if (startsWith(words, SHADOW)) {
      return new PlanStep.Shadow(time(words, SHADOW));
    }
    int sign = words.indexOf('%');
    if (sign <= 0) {
      throw refused(
          "'"
              + words
              + "' is not a step; write shadow 10min, 5% 5min, 100%, bake 15min,"
              + " few_keys: advance, or one of "
              + RolloutPlan.presets());
    }
    return new PlanStep.Share(
        percent(words.substring(0, sign)), time(words, words.substring(0, sign + 1)));
  }

  private static int percent(String digits) {
    try {
      return Integer.parseInt(digits.strip());
    } catch (NumberFormatException e) {
      throw refused("'" + digits + "%' is not a whole percentage from 1 to 100");
    }
  }

  private static Duration time(String words, String keyword) {
    String text = words.substring(keyword.length()).strip();
    if (text.isEmpty()) {
      throw refused("'" + words + "' has no time; write " + keyword + " 5min");
    }
    try {
      return RateSyntax.parse(text);
    } catch (IllegalArgumentException e) {
      throw refused(e.getMessage());
    }
  }

  private static FewKeys fewKeys(String word) {
    return switch (word) {
      case "advance" -> FewKeys.ADVANCE;
      case "hold" -> FewKeys.HOLD;
      default -> throw refused("few_keys is advance or hold, not '" + word + "'");
    };
  }

  static void check(List<PlanStep> steps) {
    if (steps.isEmpty() || !(last(steps) instanceof PlanStep.Bake)) {
      throw refused("it must end with 100%, and may then bake");
    }
    if (steps.size() > MAX_STEPS) {
      throw refused("it has " + steps.size() + " steps; " + MAX_STEPS + " are the most");
    }
    int percent = -1;
    for (PlanStep step : steps) {
      boolean bake = step instanceof PlanStep.Bake;
      if (step instanceof PlanStep.Share && (step.percent() < 1 || step.percent() > 100)) {
        throw refused(step.percent() + "% is not a whole percentage from 1 to 100");
      }
      if (step.percent() < percent || (step.percent() == percent && !bake)) {
        throw refused("'" + step + "' does not enforce more than the step before it");
      }
      boolean ends = bake && step.time().isZero();
      if (!ends && (step.time().compareTo(SHORTEST) < 0 || step.time().compareTo(LONGEST) > 0)) {
        throw refused("'" + step + "': a step takes 1s to 7day");
      }
      percent = step.percent();
    }
  }

  private static PlanStep last(List<PlanStep> steps) {
    return steps.get(steps.size() - 1);
  }

  private static IllegalArgumentException refused(String why) {
    return new IllegalArgumentException("plan: " + why);
  }
}
