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
 * All admissions of a story. For a bucket they are checked against every interval, for a log
 * against every interval as long as its window, for other windows and quotas against each window.
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

  /** The run of the story; all admissions by the store or from a lease are recorded here. */
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

  /** Adds a degraded admission of an instance. */
  void addDegraded(Decision decision, long cost) {
    if (decision.allowed() && decision.degraded()) {
      add(cost, time.micros());
    }
  }

  /** The smallest burst that would have admitted all; for windows, the maximum in any. */
  long most() {
    return most.getAsLong();
  }
}
