package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

/** The limiter by key allocates nothing once it is compiled. */
class NoAllocationTest {
  private static final int CALLS = 100_000;
  private static final int MAX_ROUNDS = 100;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final String[] keys = new String[64];
  private final Key[] hashed = new Key[keys.length];

  NoAllocationTest() {
    for (int i = 0; i < keys.length; i++) {
      keys[i] = "user:" + i;
      hashed[i] = Key.of(keys[i]);
    }
  }

  @Test
  void tryAcquireByTextAllocatesNothing() {
    Limiter limiter = Weir.limiter(Limit.perSecond(1000));

    assertThat(leastPerCall(i -> limiter.tryAcquire(keys[i & 63]))).isLessThan(0.1);
  }

  @Test
  void tryAcquireByHashedKeyAllocatesNothing() {
    Limiter limiter = Weir.limiter(Limit.parse("sliding-window 1000/s"));

    assertThat(leastPerCall(i -> limiter.tryAcquire(hashed[i & 63]))).isLessThan(0.1);
  }

  /** Bytes per call in the best of many rounds; the first rounds include compilation. */
  private double leastPerCall(IntPredicate call) {
    double least = Double.MAX_VALUE;
    for (int round = 0; round < MAX_ROUNDS && least >= 0.1; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      int admitted = 0;
      for (int i = 0; i < CALLS; i++) {
        admitted += call.test(i & 63) ? 1 : 0;
      }
      long bytes = threads.getCurrentThreadAllocatedBytes() - before;
      assertThat(admitted).isNotNegative();
      least = Math.min(least, (double) bytes / CALLS);
    }
    return least;
  }
}
