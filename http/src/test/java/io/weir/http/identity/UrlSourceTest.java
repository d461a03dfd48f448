package io.weir.http.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that stall, send too much, or answer correctly. */
@Timeout(30)
class UrlSourceTest {
  private static final String HEAD =
      "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 10\r\n";

  @ParameterizedTest
  @ValueSource(strings = {"", HEAD, HEAD + "\r\n", HEAD + "\r\nsome"})
  void timesOutWhereverTheServerStalls(String sent) throws Exception {
    try (Sending server = new Sending(sent)) {
      UrlSource<String> source =
          new UrlSource<>(server.uri(), text -> text, Duration.ofMillis(300));

      assertThatThrownBy(source::read)
          .isInstanceOf(IOException.class)
          .hasMessage("no complete response within 300 ms");
    }
  }

  @Test
  void stopsAtTheMaximumSize() throws Exception {
    String head = "HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n";
    try (Sending server = new Sending(head + "x".repeat((1 << 20) + 1))) {
      UrlSource<String> source =
          new UrlSource<>(server.uri(), text -> text, Duration.ofSeconds(20));

      assertThatThrownBy(source::read).hasMessageContaining("larger than 1048576 bytes");
    }
  }

  @Test
  void readsACompleteResponse() throws Exception {
    try (Sending server = new Sending(HEAD + "\r\n0123456789")) {
      UrlSource<String> source =
          new UrlSource<>(server.uri(), text -> text, Duration.ofSeconds(20));

      assertThat(source.read()).hasValue("0123456789");
      assertThat(source.read()).isEmpty();
    }
  }

  /** Sends the same bytes on each connection, and keeps it open. */
  private static final class Sending implements AutoCloseable {
    private final ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    private final List<Socket> clients = new ArrayList<>();

    Sending(String text) throws IOException {
      Thread thread = new Thread(() -> send(text.getBytes(StandardCharsets.US_ASCII)));
      thread.setDaemon(true);
      thread.start();
    }

    private void send(byte[] text) {
      while (!server.isClosed()) {
        try {
          Socket client = server.accept();
          synchronized (clients) {
            clients.add(client);
          }
          client.getOutputStream().write(text);
        } catch (IOException e) {
          // the client or this server has closed
        }
      }
    }

    URI uri() {
      return URI.create("http://127.0.0.1:" + server.getLocalPort() + "/");
    }

    @Override
    public void close() throws IOException {
      server.close();
      synchronized (clients) {
        for (Socket client : clients) {
          client.close();
        }
      }
    }
  }
}
