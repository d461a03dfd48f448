package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
    Process process = serve("--rules", rules.toString(), "--port", "0", "--admin-port", "0");
    try {
      String url = url(process);
      assertThat(callsUntilRefused(url)).isLessThanOrEqualTo(10);

      Files.writeString(rules, Files.readString(rules).replace("limit: 5/10s", "limit: 50/10s"));
      await()
          .atMost(Duration.ofSeconds(2))
          .until(() -> check(url).out().startsWith("allowed by front-page: 4"));

      process.destroy(); // SIGTERM
      assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isZero();
    } finally {
      process.destroyForcibly();
    }
  }

  private Process serve(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.addAll(List.of(Main.class.getName(), "serve"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(folder.resolve("err").toFile());
    builder.environment().put("XDG_STATE_HOME", folder.toString());
    return builder.start();
  }

  /** Where a server that has just been started says that it is. */
  private static String url(Process process) throws IOException {
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String url = "";
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.startsWith("  decisions ")) {
        url = line.substring("  decisions ".length()).strip();
      }
      if (line.startsWith("curl ")) {
        return url;
      }
    }
    throw new IOException("the server ended");
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
