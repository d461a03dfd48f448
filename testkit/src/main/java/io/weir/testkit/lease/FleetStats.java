package io.weir.testkit.lease;

import io.weir.Decision;
import io.weir.DecisionSource;

/** Counts the outcomes of all calls to a fleet. */
public final class FleetStats {
  private long calls;
  private long allowed;
  private long refused;
  private long inMemory;
  private long degraded;
  private long refusedCost;
  private long gotBack;
  private long underWay;
  private long mostUnderWay;

  void onCall(long cost) {
    calls++;
    underWay += cost;
    mostUnderWay = Math.max(mostUnderWay, underWay);
  }

  void onDecision(Decision decision, long cost) {
    DecisionSource source = decision.source();
    underWay -= cost;
    allowed += decision.allowed() ? 1 : 0;
    refused += decision.allowed() ? 0 : 1;
    refusedCost += decision.allowed() ? 0 : cost;
    inMemory += source == DecisionSource.LEASE || source == DecisionSource.DENY_CACHE ? 1 : 0;
    degraded += decision.degraded() ? 1 : 0;
  }

  void gotBack(long amount) {
    gotBack += amount;
  }

  public long calls() {
    return calls;
  }

  public long allowed() {
    return allowed;
  }

  public long refused() {
    return refused;
  }

  /** Answered from a lease or from a cached refusal. */
  public long inMemory() {
    return inMemory;
  }

  /** Decided without the store that should have been asked. */
  public long degraded() {
    return degraded;
  }

  /** Total cost of calls in flight. */
  public long underWay() {
    return underWay;
  }

  /** Maximum total cost of calls in flight at the same time. */
  public long mostUnderWay() {
    return mostUnderWay;
  }

  /** Total cost of all refused calls. */
  public long refusedCost() {
    return refusedCost;
  }

  /** Amount that the store took for calls and got back, because another rule refused them. */
  public long gotBack() {
    return gotBack;
  }
}
