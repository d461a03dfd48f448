package io.weir.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** An upstream that speaks HTTP/2, as it is told to, and says the same to all. */
final class Http2Upstream implements AutoCloseable {
  private final ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());

  /** What it says on a stream. */
  interface Answer {
    void on(RawHttp2 connection, int stream) throws IOException;
  }

  Http2Upstream(Answer answer) throws IOException {
    start(() -> accept(answer));
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work);
    thread.setDaemon(true);
    thread.start();
  }

  private void accept(Answer answer) {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        start(() -> talk(socket, answer));
      } catch (IOException e) {
        // this server has gone
      }
    }
  }

  private static void talk(Socket socket, Answer answer) {
    try (RawHttp2 connection = RawHttp2.accepted(socket)) {
      while (true) {
        RawHttp2.Frame frame = connection.next();
        if (frame.type() == RawHttp2.HEADERS) {
          answer.on(connection, frame.stream());
        }
      }
    } catch (IOException e) {
      // that client has gone
    }
  }

  String url() {
    return "h2c://127.0.0.1:" + server.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
