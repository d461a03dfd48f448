package io.weir.testkit.process;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.awaitility.core.ConditionTimeoutException;

/** Waits until servers agree on a state, and shows their logs on a timeout. */
final class AgreementWait {
  private static final Duration LIMIT = Duration.ofSeconds(40);
  private static final Duration INTERVAL = Duration.ofMillis(50);

  private AgreementWait() {}

  /** A condition that throws, for example because a server is still starting, does not hold yet. */
  static void waitUntil(String what, List<RedisServer> servers, Callable<Boolean> condition) {
    try {
      await(what).atMost(LIMIT).pollInterval(INTERVAL).ignoreExceptions().until(condition);
    } catch (ConditionTimeoutException e) {
      String logs =
          servers.stream()
              .map(server -> "\n--- " + server + " logged:\n" + server.log())
              .collect(Collectors.joining());
      throw new IllegalStateException("timed out waiting for " + what + logs, e);
    }
  }
}
