package io.weir.bench.front;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sends the same request to a local server at maximum rate: by {@code wrk} if installed, else over
 * plain sockets, which use more CPU themselves.
 */
final class HttpLoad {
  private static final int CONNECTIONS = 64;
  private static final Pattern RATE = Pattern.compile("Requests/sec:\\s+([0-9.]+)");
  private static final Pattern LENGTH = Pattern.compile("content-length: (\\d+)\r\n");
  private static final boolean WRK = hasWrk();

  private HttpLoad() {}

  static String tool() {
    return WRK ? "wrk" : "plain sockets";
  }

  private static boolean hasWrk() {
    try {
      Process process = new ProcessBuilder("wrk", "-v").redirectErrorStream(true).start();
      process.getInputStream().readAllBytes();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Responses with status 200 per second. */
  static double run(int port, int seconds) {
    try {
      return WRK ? runWrk(port, seconds) : runSockets(port, seconds);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static double runWrk(int port, int seconds) throws IOException {
    Path script = Files.createTempFile("weir-bench", ".lua");
    try {
      Files.writeString(
          script,
          "wrk.method = 'POST'\nwrk.body = '"
              + HttpSubject.QUESTION
              + "'\nwrk.headers['Content-Type'] = 'application/json'\n");
      List<String> command = new ArrayList<>(List.of("wrk", "-t1", "-c" + CONNECTIONS));
      command.addAll(List.of("-d" + seconds + "s", "--timeout", "10s", "-s", script.toString()));
      command.add("http://127.0.0.1:" + port + "/v1/check");
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      Matcher rate = RATE.matcher(text);
      if (!rate.find() || text.contains("Non-2xx") || text.contains("Socket errors")) {
        throw new IOException(text);
      }
      return Double.parseDouble(rate.group(1));
    } finally {
      Files.delete(script);
    }
  }

  private static double runSockets(int port, int seconds) throws IOException {
    byte[] request = request();
    AtomicLong answers = new AtomicLong();
    long end = System.nanoTime() + seconds * 1_000_000_000L;
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      Thread thread = new Thread(() -> answers.addAndGet(ask(port, request, end)));
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }
    return (double) answers.get() / seconds;
  }

  private static byte[] request() {
    return ("POST /v1/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            + "Content-Length: "
            + HttpSubject.QUESTION.length()
            + "\r\n\r\n"
            + HttpSubject.QUESTION)
        .getBytes(StandardCharsets.US_ASCII);
  }

  private static long ask(int port, byte[] request, long end) {
    long answers = 0;
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setTcpNoDelay(true);
      InputStream in = new BufferedInputStream(socket.getInputStream());
      while (System.nanoTime() < end) {
        socket.getOutputStream().write(request);
        readAnswer(in);
        answers++;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return answers;
  }

  private static void readAnswer(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.length() < 4 || head.indexOf("\r\n\r\n", head.length() - 4) < 0) {
      int c = in.read();
      if (c < 0) {
        throw new IOException("the server closed the connection");
      }
      head.append((char) c);
    }
    Matcher length = LENGTH.matcher(head.toString().toLowerCase(Locale.ROOT));
    if (!head.toString().startsWith("HTTP/1.1 200") || !length.find()) {
      throw new IOException(head.toString());
    }
    in.readNBytes(Integer.parseInt(length.group(1)));
  }
}
