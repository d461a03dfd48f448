package io.weir.control.rollout.plan;

import io.weir.control.store.RolloutState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The steps of a rollout, as a text that parses and prints both ways: a preset such as {@code
 * careful}, or steps such as {@code shadow 10min; 5% 5min; 100%; bake 15min; few_keys: advance}.
 *
 * <p>A plan ends with 100%. {@code 100% 5min} is a step of its own; {@code 100%} without a time
 * starts the bake. So {@code now}, which is {@code 100%; bake 10min}, has one step.
 *
 * @param steps never empty; the last one is the bake and the only one of its kind
 */
public record RolloutPlan(List<PlanStep> steps, FewKeys fewKeys) {
  /** For changes that can hurt many: 1, 5, 25 and 50% before all. */
  public static final RolloutPlan CAREFUL =
      PlanParser.steps("shadow 10min; 1% 6min; 5% 6min; 25% 6min; 50% 6min; 100%; bake 30min");

  /** For changes that can hurt some. */
  public static final RolloutPlan STANDARD =
      PlanParser.steps("shadow 5min; 5% 5min; 25% 5min; 100% 5min; bake 15min");

  /** In force at once, and judged while it bakes. */
  public static final RolloutPlan NOW = PlanParser.steps("100%; bake 10min");

  private static final Map<String, RolloutPlan> PRESETS =
      new TreeMap<>(Map.of("careful", CAREFUL, "standard", STANDARD, "now", NOW));

  public RolloutPlan {
    steps = List.copyOf(steps);
    PlanParser.check(steps);
  }

  /**
   * Parses a preset's name or steps.
   *
   * @throws IllegalArgumentException saying what is wrong and what is valid
   */
  public static RolloutPlan parse(String text) {
    RolloutPlan preset = PRESETS.get(text.strip());
    return preset != null ? preset : PlanParser.steps(text);
  }

  /** The step with this index; a stored index past the end is the bake. */
  public PlanStep step(int index) {
    return steps.get(Math.min(index, steps.size() - 1));
  }

  /** Whether this step is the last one. */
  public boolean isLast(int index) {
    return index >= steps.size() - 1;
  }

  /** The state in which a rollout is in this step while nothing stops it. */
  public RolloutState stateAt(int index) {
    return step(index) instanceof PlanStep.Bake ? RolloutState.BAKING : RolloutState.RUNNING;
  }

  /** The state of a rollout that starts; a plan without a bake starts with 100% and is done. */
  public RolloutState firstState() {
    return step(0).time().isZero() ? RolloutState.DONE : stateAt(0);
  }

  /** Whether the step after this one enforces the new version for more keys. */
  public boolean nextEnforcesMore(int index) {
    return !isLast(index) && step(index + 1).percent() > step(index).percent();
  }

  /** The shortest time from the start until the rollout is done. */
  public Duration time() {
    return steps.stream().map(PlanStep::time).reduce(Duration.ZERO, Duration::plus);
  }

  /** The name of the preset that has these steps. */
  public Optional<String> preset() {
    return PRESETS.entrySet().stream()
        .filter(it -> it.getValue().equals(this))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /** The steps, also for a preset. */
  public String describe() {
    List<String> texts = new ArrayList<>();
    boolean inForce = false;
    for (PlanStep step : steps) {
      if (!inForce || !(step instanceof PlanStep.Bake)) {
        texts.add(step.toString());
      } else if (!step.time().isZero()) {
        texts.add(step.toString().substring("100%; ".length()));
      }
      inForce = step.percent() == 100;
    }
    if (fewKeys == FewKeys.ADVANCE) {
      texts.add("few_keys: advance");
    }
    return String.join("; ", texts);
  }

  static String presets() {
    return String.join(", ", PRESETS.keySet());
  }

  /** The preset's name, else the steps. */
  @Override
  public String toString() {
    return preset().orElseGet(this::describe);
  }
}
