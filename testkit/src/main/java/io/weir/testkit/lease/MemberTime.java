package io.weir.testkit.lease;

import io.weir.time.TimeSource;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The time of one instance: the common time, except that nothing happens in the instance while it
 * is stopped, as by a long garbage collection or by its hypervisor.
 */
final class MemberTime implements TimeSource {
  private final VirtualTime time;
  private long stoppedUntil = Long.MIN_VALUE;

  MemberTime(VirtualTime time) {
    this.time = time;
  }

  /** Stops everything in this instance for a while. */
  void stop(Duration pause) {
    stoppedUntil = time.micros() + pause.toNanos() / 1000;
  }

  boolean isStopped() {
    return time.micros() < stoppedUntil;
  }

  @Override
  public long micros() {
    return time.micros();
  }

  @Override
  public long wallMicros() {
    return time.wallMicros();
  }

  @Override
  public CompletableFuture<Void> delay(Duration delay) {
    return time.delay(delay).thenCompose(due -> awake());
  }

  private CompletableFuture<Void> awake() {
    return isStopped()
        ? time.delay(Duration.ofNanos((stoppedUntil - time.micros()) * 1000))
            .thenCompose(due -> awake())
        : CompletableFuture.completedFuture(null);
  }
}
