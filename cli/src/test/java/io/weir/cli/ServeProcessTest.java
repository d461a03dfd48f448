package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.testkit.process.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The getting-started steps, with a real process. */
@Timeout(60)
@Tag("process")
class ServeProcessTest {
  @TempDir Path folder;

  @Test
  void servesTheSampleReloadsAnEditAndStopsOnSigterm() throws Exception {
    Path rules = Files.copy(SampleRules.in(folder), folder.resolve("rules.yaml"));
    try (WeirProcess weir =
        WeirProcess.start(
            folder, "serve", "--rules", rules.toString(), "--port", "0", "--admin-port", "0")) {
      String url = weir.bannerLine("decisions");
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

  @Test
  void sharesLimitsOnRedisAndLeavesTheFleetOnSigterm() throws Exception {
    Path rules =
        Files.writeString(
            folder.resolve("rules.yaml"),
            "version: 1\nrules:\n- { id: two, key: [ip], limit: 2/h, on_fail: closed }\n");
    Path config =
        Files.writeString(
            folder.resolve("weir.yaml"),
            "listen: { http: 127.0.0.1:0, admin: 127.0.0.1:0 }\n"
                + "store: { redis: { timeout: 5s, password_file: password } }\n");
    Files.writeString(folder.resolve("password"), "secret\n");
    try (RedisServer redis = RedisServer.builder().password("secret").start()) {
      String[] arguments = {
        "serve", "--config", config.toString(), "--rules", rules.toString(), "--redis", redis.uri()
      };
      try (WeirProcess one = WeirProcess.start(folder, arguments);
          WeirProcess other = WeirProcess.start(folder, arguments)) {
        String first = one.bannerLine("decisions");
        String second = other.bannerLine("decisions");
        assertThat(check(first).out()).startsWith("allowed by two: 1 of 2 left");
        assertThat(check(second).out()).startsWith("allowed by two: 0 of 2 left");
        assertThat(check(first).out()).startsWith("refused by two: 0 of 2 left");

        one.process().destroy(); // SIGTERM
        other.process().destroy();
        assertThat(one.process().waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(other.process().waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(one.process().exitValue()).isZero();
        await().until(() -> !redis.text("CLIENT", "LIST").contains("name=weir"));
      }
    }
  }

  private static CommandRun check(String url) {
    return CommandRun.of("check", "--server", url, "GET", "/", "-a", "ip=198.51.100.7");
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
