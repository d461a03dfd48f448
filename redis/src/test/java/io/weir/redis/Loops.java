package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Watches event loops: the Java platform adds up for how long a thread waited for a lock, for
 * another thread or for time to pass. Waiting for the network is not counted, and a loop may wait
 * for nothing else; a lock that somebody else just has takes microseconds, and is forgiven.
 */
final class Loops {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** For all the locks of a test together. */
  private static final Duration FORGIVEN = Duration.ofMillis(50);

  private final Predicate<String> which;
  private final Map<Long, Long> before;

  private Loops(Predicate<String> which) {
    THREADS.setThreadContentionMonitoringEnabled(true);
    this.which = which;
    this.before = waitedMillis();
  }

  /** All loops of Redis clients in this JVM, from now on. */
  static Loops ofRedis() {
    return new Loops(name -> name.startsWith("lettuce-") && name.contains("EventLoop"));
  }

  /** Loops whose threads are called so, from now on. */
  static Loops named(String prefix) {
    return new Loops(name -> name.startsWith(prefix));
  }

  private Map<Long, Long> waitedMillis() {
    return Stream.of(THREADS.getThreadInfo(THREADS.getAllThreadIds()))
        .filter(Objects::nonNull)
        .filter(info -> which.test(info.getThreadName()))
        .collect(
            Collectors.toMap(
                ThreadInfo::getThreadId, info -> info.getWaitedTime() + info.getBlockedTime()));
  }

  /** There are such loops, and none waited for longer than locks and a busy machine explain. */
  void assertNoneWaited(Noise noise) {
    Map<Long, Long> now = waitedMillis();
    assertThat(now).as("loops").isNotEmpty();
    assertThat(now)
        .allSatisfy(
            (loop, waited) ->
                assertThat(waited - before.getOrDefault(loop, 0L))
                    .as("ms for which loop %d waited", loop)
                    .isLessThanOrEqualTo(FORGIVEN.toMillis() + 3 * noise.worstMicros() / 1000));
  }
}
