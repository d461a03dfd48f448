package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The client that docs/headers.md shows. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PoliteClientTest {
  private static final String USE =
      """

      import sys

      for _ in range(3):
          with call(sys.argv[1]) as answer:
              print(answer.status)
      """;

  @TempDir private Path folder;

  private static String example() throws Exception {
    String page = Files.readString(Path.of("../docs/headers.md"));
    Matcher block = Pattern.compile("```python\n(.*?)```", Pattern.DOTALL).matcher(page);
    assertThat(block.find()).isTrue();
    return block.group(1);
  }

  /** Of three calls in a row at least one is told to wait, however slow the machine is. */
  @Test
  void isServedAfterItWasTurnedAway() throws Exception {
    Python python = Python.plain(folder);
    try (EchoUpstream upstream = new EchoUpstream();
        TestGateway gateway =
            TestGateway.before(upstream.url(), "{ id: slow, key: [ip], limit: 1/s }")) {
      Process client =
          python.run("polite.py", example() + USE, "http://127.0.0.1:" + gateway.port() + "/x");
      try {
        String said = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(said).isEqualTo("200\n200\n200\n");
        assertThat(upstream.paths).hasSize(3);
        assertThat(gateway.metric("weir_decisions_total{outcome=\"denied\",rule=\"slow\"}"))
            .isBetween(1.0, 2.0);
      } finally {
        client.destroyForcibly();
      }
    }
  }
}
