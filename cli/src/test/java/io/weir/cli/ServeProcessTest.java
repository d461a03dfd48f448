package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The promise to a newcomer, kept by a process of its own. */
@Timeout(60)
class ServeProcessTest {
  @TempDir Path folder;

  @Test
  void servesTheSampleFollowsAnEditAndStopsWhenTold() throws Exception {
    Path rules = Files.copy(Sample.copy(), folder.resolve("rules.yaml"));
    try (WeirProcess weir =
        WeirProcess.start(
            folder, "serve", "--rules", rules.toString(), "--port", "0", "--admin-port", "0")) {
      String url = weir.said("decisions");
      assertThat(callsUntilRefused(url)).isLessThanOrEqualTo(10);

      Files.writeString(rules, Files.readString(rules).replace("limit: 5/10s", "limit: 50/10s"));
      await()
          .atMost(Duration.ofSeconds(2))
          .until(() -> check(url).out().startsWith("allowed by front-page: 4"));

      weir.process().destroy(); // SIGTERM
      assertThat(weir.process().waitFor(10, TimeUnit.SECONDS)).isTrue();
      assertThat(weir.process().exitValue()).isZero();
    }
  }

  private static Run check(String url) {
    return Run.of("check", "--server", url, "GET", "/", "-a", "ip=198.51.100.7");
  }

  private static int callsUntilRefused(String url) {
    for (int calls = 1; calls <= 10; calls++) {
      if (check(url).code() == 1) {
        return calls;
      }
    }
    throw new AssertionError("never refused");
  }
}
