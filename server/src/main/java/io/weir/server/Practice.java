package io.weir.server;

import io.weir.Decision;
import io.weir.Weir;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers calls that nobody made, before anybody calls, so that the first real call is not the one
 * that waits for code to be loaded. It only looks: nothing is taken and nothing is counted.
 */
final class Practice {
  private static final Logger LOG = LoggerFactory.getLogger(Practice.class);
  private static final int CALLS = 100;
  private static final Duration AT_MOST = Duration.ofMillis(300);
  private static final byte[] BODY =
      """
      {"method":"GET","path":"/","host":"weir.invalid","cost":1,
       "attributes":{"ip":"192.0.2.1","user":"nobody","tenant":"nobody","api_key":"nobody"}}"""
          .getBytes(StandardCharsets.US_ASCII);

  private Practice() {}

  static void run(Weir weir) {
    Json json = new Json();
    long end = System.nanoTime() + AT_MOST.toNanos();
    try {
      for (int i = 0; i < CALLS && System.nanoTime() - end < 0; i++) {
        Decision decision =
            weir.look(CallReader.read(BODY))
                .toCompletableFuture()
                .get(AT_MOST.toNanos(), TimeUnit.NANOSECONDS);
        DecisionWriter.write(json.clear(), decision);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException | RuntimeException e) {
      LOG.debug("no practice before the first call", e);
    }
  }
}
