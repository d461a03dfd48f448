package io.weir.testkit.process;

import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.core.ConditionTimeoutException;

/**
 * A real nginx on a loopback port, with configurable servers.
 *
 * <p>Tests that need it are skipped where there is none, see {@link OptionalTool}.
 */
public final class NginxServer implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofSeconds(20);
  private static final int LOG_LINES = 40;

  private final TempFolder scratch = TempFolder.create("nginx");
  private final int port;
  private final ChildProcess process;

  private NginxServer(Path binary, int port, String http) {
    this.port = port;
    Path config =
        scratch.write(
            "nginx.conf",
            List.of(
                "daemon off;",
                "master_process off;", // one process, so that one signal ends it
                "pid " + scratch.file("nginx.pid") + ";",
                "error_log stderr;",
                "events { worker_connections 512; }",
                "http {",
                "  access_log off;",
                temporary("client_body"),
                temporary("proxy"),
                temporary("fastcgi"),
                temporary("uwsgi"),
                temporary("scgi"),
                http,
                "}"));
    List<String> command =
        List.of(
            binary.toString(),
            "-p",
            scratch.path().toString(),
            "-e",
            "stderr",
            "-c",
            config.toString());
    this.process = ChildProcess.start(command, scratch.path(), scratch.file("log"));
    try {
      await("nginx on port " + port)
          .atMost(START_LIMIT)
          .pollInterval(Duration.ofMillis(20))
          .until(this::listens);
    } catch (ConditionTimeoutException e) {
      String log = log();
      close();
      throw new IllegalStateException("nginx did not start:\n" + log, e);
    }
  }

  private String temporary(String name) {
    return "  " + name + "_temp_path " + scratch.file(name) + ";";
  }

  /**
   * Starts nginx; skips the test if there is none and none is required.
   *
   * @param port from {@link FreePorts#free}, on which one of the servers listens
   * @param http content of the {@code http} block
   */
  public static NginxServer start(int port, String http) {
    return new NginxServer(OptionalTool.NGINX.get(), port, http);
  }

  private boolean listens() {
    if (!process.isAlive()) {
      throw new IllegalStateException("nginx ended:\n" + log());
    }
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (java.io.IOException notYet) {
      return false;
    }
  }

  public int port() {
    return port;
  }

  /** {@code http://127.0.0.1:port}. */
  public String uri() {
    return "http://127.0.0.1:" + port;
  }

  /** The last lines of the error log. */
  public String log() {
    return ChildProcess.tail(scratch.file("log"), LOG_LINES);
  }

  /** Sends SIGKILL. */
  public void kill() {
    process.kill();
  }

  /** Sends SIGSTOP: the kernel accepts connections, and nothing answers. */
  public void freeze() {
    process.signal("STOP");
  }

  /** Sends SIGCONT. */
  public void thaw() {
    process.signal("CONT");
  }

  @Override
  public void close() {
    process.kill();
    scratch.close();
  }
}
