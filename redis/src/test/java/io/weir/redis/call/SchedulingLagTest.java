package io.weir.redis.call;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.util.concurrent.DefaultEventExecutor;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class SchedulingLagTest {
  private long nanos;
  private final SchedulingLag lag = new SchedulingLag(() -> nanos);
  private final SchedulingLag.Sleeper one = lag.sleeper();
  private final SchedulingLag.Sleeper other = lag.sleeper();

  private void pass(long millis) {
    nanos += MILLISECONDS.toNanos(millis);
  }

  private long within(long millis) {
    return lag.within(MILLISECONDS.toNanos(millis)) / 1_000_000;
  }

  @Test
  void noLagWhileThreadsWakeOnTime() {
    for (int i = 0; i < 10; i++) {
      one.sleeps(MILLISECONDS.toNanos(5));
      pass(5);
      one.wakes();
    }
    assertThat(within(50)).isZero();
  }

  @Test
  void lagIsTheDelayOfAWakeUp() {
    one.sleeps(MILLISECONDS.toNanos(5));
    pass(25);
    one.wakes();
    assertThat(within(25)).isEqualTo(20);
    assertThat(within(10)).as("its part of the last 10 ms").isEqualTo(10);
    pass(30);
    assertThat(within(40)).isEqualTo(10);
    assertThat(within(30)).isZero();
  }

  @Test
  void countsAnOngoingStall() {
    one.sleeps(MILLISECONDS.toNanos(5));
    pass(25);
    assertThat(within(25)).isEqualTo(20);
    assertThat(within(8)).isEqualTo(8);
  }

  @Test
  void overlappingStallsOfTwoThreadsCountOnce() {
    one.sleeps(0);
    pass(10);
    other.sleeps(0);
    pass(10);
    one.wakes();
    pass(10);
    other.wakes();
    pass(10);
    one.sleeps(0);
    pass(5);
    assertThat(within(100)).isEqualTo(35);
  }

  @Test
  void measuresAnEventLoop() throws InterruptedException {
    SchedulingLag real = new SchedulingLag();
    DefaultEventExecutor loop = new DefaultEventExecutor();
    try {
      real.measure(loop, MILLISECONDS.toNanos(5));
      await().until(() -> loop.submit(() -> true).get());
      CountDownLatch busy = new CountDownLatch(1);
      loop.execute(
          () -> {
            try {
              busy.await(10, SECONDS);
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });
      await().until(() -> real.within(SECONDS.toNanos(10)) > MILLISECONDS.toNanos(100));
      busy.countDown();
    } finally {
      loop.shutdownGracefully(0, 1, SECONDS).await(5, SECONDS);
    }
  }
}
