package io.weir.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;

/** A client that writes bytes as they are, for what no proper client would send. */
final class RawClient implements AutoCloseable {
  private final Socket socket;

  RawClient(TestServer server) throws IOException {
    this(server.port());
  }

  RawClient(int port) throws IOException {
    this.socket = new Socket("127.0.0.1", port);
    socket.setSoTimeout(15_000);
  }

  RawClient send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  RawClient send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
    return this;
  }

  /** Everything until the server closes. */
  String readAll() throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try {
      socket.getInputStream().transferTo(all);
    } catch (SocketException e) {
      // a reset ends it too
    }
    return all.toString(StandardCharsets.ISO_8859_1);
  }

  /** How much comes until the end, to one who takes it in small pieces. */
  long countSlowly() throws IOException {
    byte[] piece = new byte[128];
    long all = 0;
    for (int count = 0; count >= 0; count = socket.getInputStream().read(piece)) {
      all += count;
    }
    return all;
  }

  /** What has come when the first of it has. */
  String readSome() throws IOException {
    byte[] some = new byte[1 << 16];
    int count = socket.getInputStream().read(some);
    return new String(some, 0, Math.max(0, count), StandardCharsets.ISO_8859_1);
  }

  /** Reads until a text has come {@code times} times. */
  String readUntil(String text, int times) throws IOException {
    InputStream in = socket.getInputStream();
    StringBuilder all = new StringBuilder();
    while (count(all, text) < times) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("closed after: " + all);
      }
      all.append((char) next);
    }
    return all.toString();
  }

  private static int count(StringBuilder all, String text) {
    int count = 0;
    for (int at = all.indexOf(text); at >= 0; at = all.indexOf(text, at + 1)) {
      count++;
    }
    return count;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
