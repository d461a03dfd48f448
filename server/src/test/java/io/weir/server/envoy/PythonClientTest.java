package io.weir.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.fixture.EnvoyTestServer;
import io.weir.server.fixture.PythonScripts;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A client in another language, with another gRPC implementation, passes the contract. */
@Tag("python")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PythonClientTest {
  @TempDir private Path folder;

  @Test
  void anotherGrpcImplementationPassesTheContract() throws Exception {
    PythonScripts python = PythonScripts.in(folder);
    String file =
        """
        domain: d
        descriptors:
          - { key: day, rate_limit: { unit: day, requests_per_unit: 10, name: ten } }
          - { key: one, rate_limit: { unit: week, requests_per_unit: 1 } }
        """;
    try (EnvoyTestServer server = EnvoyTestServer.with(file)) {
      Process client =
          python.start("envoy_client.py", server.http.server.grpc().orElseThrow().toString());
      try {
        String output = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(output).isEqualTo("spoken\n");
        assertThat(client.waitFor()).isZero();
      } finally {
        client.destroyForcibly();
      }
    }
  }
}
