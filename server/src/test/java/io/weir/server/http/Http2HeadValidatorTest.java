package io.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.weir.server.fixture.RawHttp2Connection;
import io.weir.server.fixture.TestServer;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class Http2HeadValidatorTest {
  private static final int GO_AWAY = 7;
  private static final int BATCH = 100; // fewer than may be open at once

  @Test
  void endsAConnectionThatBringsTooManyInvalidStreams() throws Exception {
    try (TestServer server = TestServer.with("{ id: x, key: [], limit: 1/s }");
        RawHttp2Connection client = new RawHttp2Connection(server.port())) {
      for (int first = 0; first < Http2HeadValidator.MAX_REFUSED; first += BATCH) {
        for (int i = first; i < first + BATCH; i++) {
          client.head(2 * i + 1, RawHttp2Connection.END_STREAM, "B(D");
        }
        for (int i = first; i < first + BATCH; i++) {
          assertThat(client.status(2 * i + 1)).isEqualTo(400);
        }
      }
      client.head(2 * Http2HeadValidator.MAX_REFUSED + 1, RawHttp2Connection.END_STREAM, "B(D");

      assertThat(client.next(GO_AWAY, 0).payload()[7]).isEqualTo((byte) 0x0b); // ENHANCE_YOUR_CALM
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(
              () -> {
                while (true) {
                  client.next();
                }
              });
    }
  }
}
