package io.weir.testkit.lease;

import io.weir.Algorithm;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.TokenBucket;
import io.weir.base.KeyEncoding;
import io.weir.base.Micros;
import io.weir.time.VirtualTime;
import java.util.function.LongSupplier;

/**
 * All that was admitted in a story: for a bucket held against every stretch of time there is, for a
 * log against each that is as long as its window, for other windows and quotas against each of
 * them.
 */
final class StoryLedger implements SimulatedFleet.AdmissionListener {
  private final FleetStory story;
  private final SimulatedFleet.AdmissionListener log;
  private final LongSupplier most;
  private VirtualTime time = new VirtualTime();

  StoryLedger(FleetStory story) {
    this.story = story;
    Limit limit = story.limit();
    long length = Micros.of(limit.window());
    boolean onTheHour = limit.algorithm() == Algorithm.QUOTA;
    long phase =
        onTheHour
            ? 0
            : Math.floorMod(KeyEncoding.hash(SimulatedFleet.RULE, SimulatedFleet.USER), length);
    if (limit instanceof TokenBucket tokens) {
      AdmissionBound bucket = new AdmissionBound(tokens);
      this.log = bucket;
      this.most = bucket::ceiling;
    } else if (limit.algorithm() == Algorithm.SLIDING_LOG) {
      SpanAdmissionBound spans = new SpanAdmissionBound(length);
      this.log = spans;
      this.most = spans::most;
    } else {
      WindowAdmissionBound windows =
          new WindowAdmissionBound(micros -> Math.floorDiv(time.wallMicros() - phase, length));
      this.log = windows;
      this.most = windows::most;
    }
  }

  /**
   * The story, of which all that is admitted by the store or from a lease goes into these books.
   */
  StoryRun of(StoryRun.Callers callers) {
    StoryRun run = new StoryRun(story, callers, this);
    time = run.fleet.time();
    return run;
  }

  @Override
  public void add(long amount, long micros) {
    log.add(amount, micros);
  }

  @Override
  public void remove(long amount, long micros) {
    log.remove(amount, micros);
  }

  /** Adds what an instance admitted alone. */
  void addDegraded(Decision decision, long cost) {
    if (decision.allowed() && decision.degraded()) {
      add(cost, time.micros());
    }
  }

  /** The least burst of a bucket that would have admitted all; for windows, the most in any. */
  long most() {
    return most.getAsLong();
  }
}
