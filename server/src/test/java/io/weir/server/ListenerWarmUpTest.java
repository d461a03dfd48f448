package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.weir.http.identity.Sha256;
import io.weir.server.config.CallerSettings;
import io.weir.server.config.FrontEndSettings;
import io.weir.server.config.ListenAddress;
import io.weir.server.config.TlsSettings;
import io.weir.server.fixture.EchoUpstream;
import io.weir.server.fixture.TestGateway;
import io.weir.server.fixture.TestServer;
import io.weir.testkit.process.TlsFiles;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ListenerWarmUpTest {
  /** Longer than rounds of TLS take on a busy machine. */
  private static final Duration PATIENCE = Duration.ofSeconds(50);

  private static final String RULE = "{ id: all, key: [ip], limit: 5/h }";

  @Test
  void countsNothingAndTakesNothing() {
    try (TestServer server = TestServer.with(RULE)) {
      assertThat(server.metric("weir_decisions_total{outcome=\"allowed\",rule=\"all\"}"))
          .hasValue(0);
      assertThat(server.metric("weir_decision_seconds_count")).hasValue(0);
      assertThat(server.metric("weir_keys")).hasValue(0);
      assertThat(server.check("{\"attributes\":{\"ip\":\"192.0.2.1\"}}").getInteger("remaining"))
          .isEqualTo(4);
    }
  }

  @Test
  void forwardsNothing() throws Exception {
    try (EchoUpstream upstream = new EchoUpstream();
        TestGateway gateway = TestGateway.before("http://127.0.0.1:" + upstream.port(), RULE)) {
      assertThat(upstream.connections).hasValue(0);
      assertThat(gateway.get("/real").statusCode()).isEqualTo(200);
      assertThat(upstream.paths).containsExactly("/real");
    }
  }

  @Test
  void reachesListenersWithTokensAndTls() throws Exception {
    try (TlsFiles files = TlsFiles.create()) {
      CallerSettings callers =
          new CallerSettings(Set.of(Sha256.hex("token")), Optional.empty(), Set.of());
      FrontEndSettings secured =
          FrontEndSettings.DEFAULT
              .callers(callers)
              .tls(new TlsSettings(files.serverCertificate(), files.serverKey(), TlsSettings.ALL));
      try (TestServer server = TestServer.with(secured, RULE)) {
        ListenerWarmUp again = new ListenerWarmUp(PATIENCE);
        again.http(server.server.http(), true);
        again.grpc(server.server.grpc().orElseThrow(), true);
        assertThat(again.run(server.server.vertx())).isTrue();
      }
    }
  }

  @Test
  void skipsAListenerThatDoesNotRespond() {
    Vertx vertx = Vertx.vertx();
    try {
      ListenerWarmUp warmUp = new ListenerWarmUp(PATIENCE);
      warmUp.http(new ListenAddress("127.0.0.1", 1), false);
      assertThat(warmUp.run(vertx)).isFalse();
    } finally {
      vertx.close().await();
    }
  }

  @Test
  void cannotBeCalledByClients() {
    try (TestServer server = TestServer.with(RULE)) {
      String path = new ListenerWarmUp().path(); // of another process
      assertThat(server.post(path, "{}").statusCode()).isEqualTo(404);
    }
  }
}
