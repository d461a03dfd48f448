package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.weir.testkit.process.FreePorts;
import io.weir.testkit.process.NginxServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A real nginx with the coarse limit that the documentation shows, each zone in turn. */
@Tag("nginx")
@Timeout(60)
class NginxCoarseLimitTest {
  private HttpServer app;

  @BeforeEach
  void startApp() throws IOException {
    app = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    app.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    app.start();
  }

  @AfterEach
  void stopApp() {
    app.stop(0);
  }

  @ParameterizedTest
  @CsvSource({"rate=5000r/s, burst=2500", "rate=200r/s, 'burst=400 '"})
  void refusesBeyondTheBurst(String rate, String burst) throws Exception {
    int port = FreePorts.free();
    String config = documented(port).replace(rate, "rate=1r/m").replace(burst, "burst=2 ");
    List<Integer> statuses = new ArrayList<>();
    try (NginxServer nginx = NginxServer.start(port, config)) {
      HttpRequest request = HttpRequest.newBuilder(URI.create(nginx.uri() + "/")).build();
      HttpClient client = HttpClient.newHttpClient();
      for (int i = 0; i < 5; i++) {
        statuses.add(client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode());
      }
    }
    assertThat(statuses).containsExactly(204, 204, 204, 429, 429);
  }

  private String documented(int port) throws IOException {
    String page = Files.readString(Path.of("../docs/use/where-to-limit.md"));
    Matcher example = Pattern.compile("```nginx\n(.*?)```", Pattern.DOTALL).matcher(page);
    assertThat(example.find()).isTrue();
    return example
        .group(1)
        .replace("127.0.0.1:9000", "127.0.0.1:" + app.getAddress().getPort())
        .replace("listen 8000", "listen 127.0.0.1:" + port);
  }
}
