package io.weir.server;

import java.util.concurrent.atomic.LongAdder;

/** Counts what upstreams answer, by the first digit of the status, and how often they do not. */
final class UpstreamCounts {
  private final LongAdder[] byClass = new LongAdder[6];
  private final LongAdder failed = new LongAdder();
  private final LongAdder late = new LongAdder();

  UpstreamCounts() {
    for (int i = 0; i < byClass.length; i++) {
      byClass[i] = new LongAdder();
    }
  }

  void answered(int status) {
    int digit = status / 100;
    byClass[digit >= 1 && digit <= 5 ? digit : 0].increment();
  }

  /** The upstream could not be reached, or broke off. */
  void failed() {
    failed.increment();
  }

  /** The upstream took too long. */
  void late() {
    late.increment();
  }

  /** Shows the counts. */
  void show(Metrics metrics) {
    for (int digit = 1; digit <= 5; digit++) {
      metrics.upstream(digit + "xx", byClass[digit]);
    }
    metrics.upstream("failed", failed);
    metrics.upstream("timeout", late);
  }
}
