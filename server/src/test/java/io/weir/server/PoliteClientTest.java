package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.fixture.EchoUpstream;
import io.weir.server.fixture.PythonScripts;
import io.weir.server.fixture.RawUpstream;
import io.weir.server.fixture.TestGateway;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The client that docs/use/headers.md shows. */
@Tag("python")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PoliteClientTest {
  private static final String USE =
      """

      import sys

      for _ in range(3):
          with call(urllib.request.Request(sys.argv[1])) as answer:
              print(answer.status)
      """;

  /** Prints how often it would have waited for each request. */
  private static final String GIVE_UP =
      """

      import sys

      waits = []
      time.sleep = waits.append
      for headers, data in ({}, None), ({}, b""), ({"Idempotency-Key": "1"}, b""):
          try:
              call(urllib.request.Request(sys.argv[1], data, headers))
          except urllib.error.URLError:
              print(len(waits))
              waits.clear()
      """;

  @TempDir private Path folder;

  private static String example() throws Exception {
    String page = Files.readString(Path.of("../docs/use/headers.md"));
    Matcher block = Pattern.compile("```python\n(.*?)```", Pattern.DOTALL).matcher(page);
    assertThat(block.find()).isTrue();
    return block.group(1);
  }

  /**
   * Of three consecutive calls at least one is refused with a Retry-After, however slow the machine
   * is.
   */
  @Test
  void isServedAfterARefusal() throws Exception {
    try (EchoUpstream upstream = new EchoUpstream();
        TestGateway gateway =
            TestGateway.before(upstream.url(), "{ id: slow, key: [ip], limit: 1/s }")) {
      String url = "http://127.0.0.1:" + gateway.port() + "/x";

      assertThat(output(USE, url)).isEqualTo("200\n200\n200\n");
      assertThat(upstream.paths).hasSize(3);
      assertThat(gateway.metric("weir_decisions_total{outcome=\"denied\",rule=\"slow\"}"))
          .isBetween(1.0, 2.0);
    }
  }

  @Test
  void retriesOnlyIdempotentRequests() throws Exception {
    String busy =
        "HTTP/1.1 503 Busy\r\nRetry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 0\r\n"
            + "Connection: close\r\n\r\n";
    try (RawUpstream upstream = new RawUpstream(busy)) {
      assertThat(output(GIVE_UP, upstream.url() + "/")).isEqualTo("4\n0\n4\n");
      assertThat(upstream.asked).hasValue(5 + 1 + 5);
    }
    assertThat(output(GIVE_UP, "http://127.0.0.1:1/")).isEqualTo("4\n0\n4\n");
  }

  /** The output of the client. */
  private String output(String use, String url) throws Exception {
    Process client = PythonScripts.plain(folder).run("polite.py", example() + use, url);
    try {
      return new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } finally {
      client.destroyForcibly();
    }
  }
}
