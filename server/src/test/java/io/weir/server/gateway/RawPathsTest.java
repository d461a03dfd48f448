package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.fixture.EchoUpstream;
import io.weir.server.fixture.RawClient;
import io.weir.server.fixture.RawHttp2Connection;
import io.weir.server.fixture.TestGateway;
import io.weir.server.fixture.TestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Paths with two spellings: with raw bytes beyond ASCII, which are the same for rules and
 * upstreams, and with encoded delimiters, which are not.
 */
@Timeout(60)
class RawPathsTest {
  private static final String RULE =
      "{ id: coffee, match: { path: /caf\u00e9 }, key: [], limit: 0/h }";

  /** The two bytes of é in UTF-8, each as one character. */
  private static final String E = "\u00c3\u00a9";

  @Test
  void passTheGatewayInOneSpelling() throws Exception {
    try (EchoUpstream upstream = new EchoUpstream();
        TestGateway gateway = TestGateway.before(upstream.url(), RULE);
        RawClient http1 = gateway.raw();
        RawHttp2Connection http2 = new RawHttp2Connection(gateway.port())) {
      assertThat(http1.send(get("/caf" + E)).readUntil("}", 1)).startsWith("HTTP/1.1 429");
      assertThat(http1.send(get("/th" + E + "?q=" + E)).readUntil("}", 1))
          .startsWith("HTTP/1.1 200");
      assertThat(path(http2, 1, "/caf" + E)).isEqualTo(429);
      assertThat(path(http2, 3, "/th" + E + "?q=" + E)).isEqualTo(200);

      assertThat(upstream.paths).hasSize(2).containsOnly("/th%C3%A9?q=%C3%A9");
    }
  }

  @Test
  void withEncodedDelimitersAreForRulesToList() throws Exception {
    try (EchoUpstream upstream = new EchoUpstream();
        TestGateway gateway =
            TestGateway.before(
                upstream.url(),
                "{ id: one, match: { path: \"/one/x:predict\" }, key: [], limit: 0/h }",
                "{ id: both, match: { path: [\"/both/x:predict\", \"/both/x%3Apredict\"] },"
                    + " key: [], limit: 0/h }",
                "{ id: any, match: { path: /any/* }, key: [], limit: 0/h }")) {
      for (String spelling : new String[] {"x:predict", "x%3Apredict", "x%3apredict"}) {
        assertThat(gateway.get("/both/" + spelling).statusCode()).as(spelling).isEqualTo(429);
        assertThat(gateway.get("/any/" + spelling).statusCode()).as(spelling).isEqualTo(429);
      }
      assertThat(gateway.get("/one/x:predict").statusCode()).isEqualTo(429);
      assertThat(gateway.echo("/one/x%3apredict").getString("uri")).isEqualTo("/one/x%3Apredict");
    }
  }

  private static String get(String target) {
    return "GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n";
  }

  private static int path(RawHttp2Connection client, int stream, String path) throws Exception {
    return client.request(stream, "x", path).status(stream);
  }

  @Test
  void doNotEvadeForwardAuth() throws Exception {
    try (TestServer server = TestServer.with(RULE);
        RawClient client = new RawClient(server)) {
      String question =
          "GET /v1/authorize HTTP/1.1\r\nHost: x\r\nX-Original-Method: GET\r\nX-Original-URI: ";

      assertThat(client.send(question + "/caf" + E + "\r\n\r\n").readUntil("}", 1))
          .startsWith("HTTP/1.1 429");
    }
  }
}
