package io.weir;

/**
 * Is notified of every decision by rules, on the thread that made it; for metrics and events. An
 * implementation must be fast and must not throw.
 */
@FunctionalInterface
public interface DecisionListener {
  /** Called once per decision. */
  void onDecision(Call call, Decision decision);

  /**
   * Called for an unexpected error of the store. The rules have decided by their {@link OnFail}.
   */
  default void onError(Throwable error) {}
}
