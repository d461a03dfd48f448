package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The log of a real process under requests that cause log lines. */
@Timeout(90)
@Tag("process")
class LogFloodTest {
  private static final String UPGRADE =
      "GET / HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
          + "HTTP2-Settings: AAMAAABk\r\n\r\n";
  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

  @TempDir Path folder;

  private static byte[] frame(int type, int flags, int stream, byte[] payload) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(new byte[] {(byte) (payload.length >> 16), (byte) (payload.length >> 8)});
    out.write(new byte[] {(byte) payload.length, (byte) type, (byte) flags, 0, 0, 0});
    out.write(stream);
    out.write(payload);
    return out.toByteArray();
  }

  /** One large header, and a thousand references to it. */
  private static byte[] bomb() throws IOException {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    block.write(new byte[] {0x40, 1, 'a', 0x7f, (byte) (3000 - 127 & 127 | 128), 3000 - 127 >> 7});
    byte[] value = new byte[3000];
    Arrays.fill(value, (byte) 'v');
    block.write(value);
    byte[] references = new byte[1000];
    Arrays.fill(references, (byte) 0xbe);
    block.write(references);
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.write(PREFACE.getBytes(StandardCharsets.US_ASCII));
    all.write(frame(4, 0, 0, new byte[0]));
    all.write(frame(1, 5, 1, block.toByteArray()));
    return all.toByteArray();
  }

  private static void send(int port, byte[] bytes, boolean reset) {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      if (reset) {
        socket.setSoLinger(true, 0);
      }
      socket.setSoTimeout(2000);
      socket.getOutputStream().write(bytes);
      socket.getOutputStream().flush();
      if (!reset) {
        socket.getInputStream().read();
      }
    } catch (IOException e) {
      // The server may have closed the connection.
    }
  }

  @Test
  void clientsCauseOnlyAFewLogLines() throws Exception {
    byte[] upgrade = UPGRADE.getBytes(StandardCharsets.US_ASCII);
    byte[] badFrame =
        (PREFACE + "not a frame of HTTP/2 at all").getBytes(StandardCharsets.US_ASCII);
    try (WeirProcess weir =
        WeirProcess.start(folder, "serve", "--port", "0", "--admin-port", "0")) {
      int port = URI.create(weir.bannerLine("decisions")).getPort();
      for (int i = 0; i < 2000; i++) {
        send(port, upgrade, false);
      }
      for (int i = 0; i < 300; i++) {
        send(port, upgrade, true);
        send(port, badFrame, false);
        send(port, badFrame, true);
        send(port, bomb(), false);
        send(port, bomb(), true);
      }
      CommandRun check =
          CommandRun.of("check", "--server", weir.bannerLine("decisions"), "GET", "/");

      assertThat(check.out()).startsWith("allowed");
    }
    List<String> all = Files.readAllLines(folder.resolve("err"));
    assertThat(all.stream().filter(line -> line.matches("\\d\\d:\\d\\d:.*")))
        .hasSizeLessThan(5 * LogRateLimit.OF_LIBRARIES);
    assertThat(all).hasSizeLessThan(1000); // some with a stack trace
  }
}
