package io.weir.redis.link;

import io.weir.testkit.process.RedisServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** A proxy to Redis that changes the reply to {@code TIME} and forwards everything else. */
final class SteppingProxy implements AutoCloseable {
  /** The reply to {@code TIME}; the seconds have ten digits until the year 2286. */
  private static final Pattern TIME = Pattern.compile("\\*2\r\n\\$10\r\n(\\d{10})\r\n");

  private final RedisServer redis;
  private final ServerSocket listener;
  private volatile long seconds;

  SteppingProxy(RedisServer redis) throws IOException {
    this.redis = redis;
    this.listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    daemon(this::accept);
  }

  String uri() {
    return "redis://127.0.0.1:" + listener.getLocalPort();
  }

  /** Steps the clock. */
  void step(long by) {
    seconds += by;
  }

  private void accept() throws IOException {
    while (true) {
      Socket client = listener.accept();
      Socket server = new Socket(InetAddress.getLoopbackAddress(), redis.port());
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      daemon(() -> client.getInputStream().transferTo(server.getOutputStream()));
      daemon(() -> forward(server.getInputStream(), client.getOutputStream()));
    }
  }

  private void forward(InputStream from, OutputStream to) throws IOException {
    byte[] buffer = new byte[65_536];
    for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
      String text = new String(buffer, 0, n, StandardCharsets.ISO_8859_1);
      String moved =
          TIME.matcher(text)
              .replaceAll(
                  time -> "*2\r\n\\$10\r\n" + (Long.parseLong(time.group(1)) + seconds) + "\r\n");
      to.write(moved.getBytes(StandardCharsets.ISO_8859_1));
    }
  }

  private interface Task {
    void run() throws IOException;
  }

  private static void daemon(Task task) {
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (IOException closed) {
                // The proxy was closed.
              }
            },
            "stepping-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
