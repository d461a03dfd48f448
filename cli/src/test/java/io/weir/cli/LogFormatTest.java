package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.cli.output.JsonMap;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@Tag("process")
class LogFormatTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String SPAN = "00f067aa0ba902b7";

  @TempDir private Path folder;

  @Test
  void writesJsonWithTheTraceOfTheRequest() throws Exception {
    try (WeirProcess weir =
        WeirProcess.start(
            folder,
            Map.of("LOG_FORMAT", "json"),
            "gateway",
            "--upstream",
            "http://127.0.0.1:1",
            "--port",
            "0",
            "--admin-port",
            "0")) {
      HttpResponse<String> answer =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(URI.create(weir.url("gateway") + "/"))
                      .header("traceparent", "00-" + TRACE + "-" + SPAN + "-01")
                      .build(),
                  BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(502);
      await().until(() -> log().contains("is unreachable"));

      String text =
          log().lines().filter(one -> one.contains("is unreachable")).findFirst().orElseThrow();
      JsonMap line = JsonMap.parse(text);
      assertThat(line.text("level")).isEqualTo("WARN");
      assertThat(line.text("message")).isEqualTo("the upstream http://127.0.0.1:1 is unreachable");
      assertThat(line.text("trace_id")).isEqualTo(TRACE);
      assertThat(line.text("span_id")).isEqualTo(SPAN);
      assertThat(line.has("time") && line.has("logger")).isTrue();
      // New JDKs print a warning about sun.misc.Unsafe to stderr, outside the log.
      assertThat(log().lines().filter(one -> !one.startsWith("WARNING: ")))
          .allMatch(one -> one.startsWith("{") && one.endsWith("}"));
    }
  }

  private String log() throws java.io.IOException {
    return Files.readString(folder.resolve("err"));
  }
}
