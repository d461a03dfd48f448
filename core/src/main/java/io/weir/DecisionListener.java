package io.weir;

/**
 * Hears of every decision by rules, on the thread that made it; for metrics and events. Must be
 * quick and not throw.
 */
@FunctionalInterface
public interface DecisionListener {
  /** Called once per decision. */
  void onDecision(Call call, Decision decision);

  /** Called for an error that a store should not have; the rules decided without it. */
  default void onError(Throwable error) {}
}
