package io.weir.server.listen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.weir.server.WeirServer;
import io.weir.server.config.TlsSettings;
import io.weir.server.fixture.EchoUpstream;
import io.weir.server.fixture.TestGateway;
import io.weir.server.http.ConnectionTracker;
import io.weir.testkit.process.TlsFiles;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The protocols and cipher suites that the ports negotiate. */
@Timeout(60)
class TlsSuitesTest {
  private static final List<String> OLD =
      List.of(
          "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
          "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
          "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
          "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256");
  private static final List<String> MODERN =
      List.of("TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256");

  private static String agreed(TlsFiles files, int port, String protocol, List<String> suites)
      throws IOException {
    try (SSLSocket socket =
        (SSLSocket) files.strangerContext().getSocketFactory().createSocket("127.0.0.1", port)) {
      socket.setEnabledProtocols(new String[] {protocol});
      socket.setEnabledCipherSuites(suites.toArray(String[]::new));
      socket.startHandshake();
      return socket.getSession().getCipherSuite();
    }
  }

  @Test
  void areModernOnEveryPort() throws Exception {
    try (EchoUpstream upstream = new EchoUpstream();
        TlsFiles files = TlsFiles.create();
        TestGateway gateway =
            TestGateway.before(
                upstream.url(),
                front ->
                    front
                        .gateway(front.gateway().decisions(true))
                        .tls(
                            new TlsSettings(
                                files.serverCertificate(), files.serverKey(), TlsSettings.ALL)),
                ConnectionTracker.TICK)) {
      WeirServer server = gateway.server.server;
      Map<String, Integer> ports =
          Map.of(
              "gateway", server.gateway().port(),
              "http", server.http().port(),
              "grpc", server.grpc().orElseThrow().port(),
              "admin", server.admin().port());
      for (Map.Entry<String, Integer> port : ports.entrySet()) {
        int number = port.getValue();
        assertThat(agreed(files, number, "TLSv1.2", MODERN)).as(port.getKey()).contains("GCM");
        assertThat(agreed(files, number, "TLSv1.3", List.of("TLS_AES_128_GCM_SHA256")))
            .as(port.getKey())
            .isEqualTo("TLS_AES_128_GCM_SHA256");
        assertThatExceptionOfType(SSLException.class)
            .as(port.getKey())
            .isThrownBy(() -> agreed(files, number, "TLSv1.2", OLD));
      }
    }
  }
}
