package io.weir.server.metrics;

import io.weir.Decision;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts decided and refused calls, including calls that no rule matches. The counts per rule do
 * not add up to these, because several rules can refuse the same call.
 */
public final class CallCounts {
  private final LongAdder decided = new LongAdder();
  private final LongAdder refused = new LongAdder();

  void add(Decision decision) {
    decided.increment();
    if (!decision.allowed()) {
      refused.increment();
    }
  }

  public long decided() {
    return decided.sum();
  }

  public long refused() {
    return refused.sum();
  }
}
