package io.weir.testkit.lease;

import io.weir.Decision;
import io.weir.DecisionSource;

/** What came of all calls to a fleet. */
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

  void asked(long cost) {
    calls++;
    underWay += cost;
    mostUnderWay = Math.max(mostUnderWay, underWay);
  }

  void answered(Decision decision, long cost) {
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

  /** Answered from a lease or by a refusal that still held. */
  public long inMemory() {
    return inMemory;
  }

  /** Decided without the store that should have been asked. */
  public long degraded() {
    return degraded;
  }

  /** The cost of calls that wait for their answers. */
  public long underWay() {
    return underWay;
  }

  /** The largest cost of calls that waited for their answers at the same time. */
  public long mostUnderWay() {
    return mostUnderWay;
  }

  /** The cost of all calls that were refused. */
  public long refusedCost() {
    return refusedCost;
  }

  /** What the store had taken for a call and got back, as another rule refused it. */
  public long gotBack() {
    return gotBack;
  }
}
