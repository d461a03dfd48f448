package io.weir.adjust;

import io.weir.FixedWindow;
import io.weir.LeakyBucket;
import io.weir.Limit;
import io.weir.Quota;
import io.weir.Ratio;
import io.weir.SlidingLog;
import io.weir.SlidingWindow;
import io.weir.TokenBucket;
import java.time.Duration;

/** What an override does to the limits of a rule for one key. */
public sealed interface OverrideEffect {
  /**
   * Another limit of the same algorithm.
   *
   * @param name which limit of a rule with several; empty for a rule with one
   */
  record OtherLimit(String name, Limit limit) implements OverrideEffect {
    /**
     * The limit for a key whose limit is now {@code base}. A plain rate such as {@code 500/min}
     * takes over the algorithm of {@code base}.
     */
    Limit instead(Limit base) {
      if (!(limit instanceof TokenBucket plain) || plain.burst() != plain.rate()) {
        return limit;
      }
      long n = plain.rate();
      Duration period = plain.period();
      if (base instanceof FixedWindow window) {
        return new FixedWindow(n, period, window.aligned(), "");
      }
      if (base instanceof SlidingWindow window) {
        return new SlidingWindow(n, period, window.aligned(), "");
      }
      if (base instanceof SlidingLog) {
        return new SlidingLog(n, period, "");
      }
      if (base instanceof LeakyBucket bucket) {
        return new LeakyBucket(n, period, bucket.queue(), bucket.maxWait(), "");
      }
      if (base instanceof Quota quota && quota.period().length().equals(period)) {
        return new Quota(n, quota.period(), quota.zone(), "");
      }
      return limit;
    }

    @Override
    public String toString() {
      return (name.isEmpty() ? "" : name + " ") + limit.named("");
    }
  }

  /** All limits of the rule times a factor. */
  record Factor(Ratio factor) implements OverrideEffect {
    @Override
    public String toString() {
      return "factor " + factor;
    }
  }

  /** No limit at all. */
  record Unlimited() implements OverrideEffect {
    @Override
    public String toString() {
      return "unlimited";
    }
  }
}
