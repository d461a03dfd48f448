package io.weir.server;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/** An upstream that answers each request with the same bytes, and then closes the connection. */
final class RawUpstream implements AutoCloseable {
  private final ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());

  /** How often it was asked. */
  final AtomicInteger asked = new AtomicInteger();

  RawUpstream(String answer) throws IOException {
    Thread thread = new Thread(() -> accept(answer.getBytes(StandardCharsets.ISO_8859_1)));
    thread.setDaemon(true);
    thread.start();
  }

  private void accept(byte[] answer) {
    while (!server.isClosed()) {
      try (Socket socket = server.accept()) {
        InputStream in = socket.getInputStream();
        int last = 0; // the last four bytes
        while (last != 0x0d0a0d0a) {
          last = last << 8 | in.read();
        }
        asked.incrementAndGet();
        socket.getOutputStream().write(answer);
      } catch (IOException e) {
        // that client, or this server, has gone
      }
    }
  }

  String url() {
    return "http://127.0.0.1:" + server.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
