package io.weir.testkit.process;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One real PostgreSQL process on a loopback port, and the faults done to it: killed, frozen,
 * restarted on the same port and data.
 *
 * <p>PostgreSQL refuses to run as root. Where the tests run as root, the server runs as the user
 * with the id 65534, through {@code setpriv}, in a data folder that belongs to it.
 */
public final class PostgresServer implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final int UNPRIVILEGED = 65534;
  private static final int LOG_LINES = 40;

  private final int port = FreePorts.free();
  private final TempFolder scratch = TempFolder.create("postgres");
  private final AtomicInteger databases = new AtomicInteger();
  private volatile ChildProcess process;

  private PostgresServer() {
    initialise();
    this.process = spawn();
  }

  /** Starts one with a fresh cluster; ready when this returns. */
  public static PostgresServer start() {
    return new PostgresServer();
  }

  public int port() {
    return port;
  }

  /** {@code postgresql://postgres@127.0.0.1:port/postgres}. */
  public String uri() {
    return uri(port, "postgres");
  }

  /** The address of a database behind another port, such as that of a {@link SlowProxy}. */
  public static String uri(int port, String database) {
    return "postgresql://postgres@127.0.0.1:" + port + "/" + database;
  }

  /** A database name that no other caller gets; the caller creates the database. */
  public String freshName() {
    return "weir_" + databases.incrementAndGet();
  }

  /** SIGKILL of the server; its backends end by themselves. */
  public void kill() {
    process.kill();
  }

  /** SIGSTOP of the postmaster: it accepts no new connections, backends go on. */
  public void freeze() {
    process.signal("STOP");
  }

  public void thaw() {
    process.signal("CONT");
  }

  /** Starts the killed server again on the same port and data; ready when this returns. */
  public void restart() {
    this.process = spawn();
  }

  @Override
  public void close() {
    process.kill();
    scratch.close();
  }

  private void initialise() {
    Path data = scratch.file("data");
    try {
      Files.createDirectory(data);
      if (isRoot()) {
        Files.setPosixFilePermissions(scratch.path(), PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setAttribute(data, "unix:uid", UNPRIVILEGED);
        Files.setAttribute(data, "unix:gid", UNPRIVILEGED);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Path initdb = BundledPostgres.home().resolve("bin/initdb");
    List<String> words = List.of("-A", "trust", "-U", "postgres", "-E", "UTF-8", "--no-sync");
    List<String> command = new ArrayList<>(unprivileged());
    command.addAll(List.of(initdb.toString(), "--locale=C", "-D", data + "/pg"));
    command.addAll(words);
    ChildProcess.run(command);
  }

  /** The words that start a command as a user that is not root. */
  private static List<String> unprivileged() {
    String id = Integer.toString(UNPRIVILEGED);
    return isRoot()
        ? List.of("setpriv", "--reuid", id, "--regid", id, "--clear-groups")
        : List.of();
  }

  private static boolean isRoot() {
    return System.getProperty("user.name").equals("root");
  }

  private ChildProcess spawn() {
    List<String> command = new ArrayList<>(unprivileged());
    if (!command.isEmpty()) {
      // A change of user clears the signal that ChildProcess has set.
      command.addAll(List.of("--pdeathsig", "KILL"));
    }
    String data = scratch.file("data").toString();
    command.addAll(
        List.of(
            BundledPostgres.home().resolve("bin/postgres").toString(),
            "-D",
            data + "/pg",
            "-p",
            Integer.toString(port),
            "-h",
            "127.0.0.1",
            "-k",
            data,
            "-c",
            "fsync=off",
            "-c",
            "max_connections=100"));
    Path log = scratch.file("postgres.log");
    long deadline = System.nanoTime() + START_LIMIT.toNanos();
    while (true) {
      ChildProcess started = ChildProcess.start(command, scratch.path(), log);
      await()
          .atMost(START_LIMIT)
          .pollInterval(Duration.ofMillis(20))
          .until(() -> !started.isAlive() || accepts());
      if (started.isAlive()) {
        return started;
      }
      // Right after a kill, backends of the old server still hold its shared memory.
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(
            "PostgreSQL does not start:\n" + ChildProcess.tail(log, LOG_LINES));
      }
    }
  }

  /** Whether the server answers a start-up packet with anything but "starting up". */
  private boolean accepts() {
    byte[] sslRequest = {0, 0, 0, 8, 4, (byte) 0xd2, 0x16, 0x2f};
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(1000);
      socket.getOutputStream().write(sslRequest);
      if (socket.getInputStream().read() != 'N') {
        return false;
      }
      socket.getOutputStream().write(startup());
      return socket.getInputStream().read() == 'R';
    } catch (IOException notYet) {
      return false;
    }
  }

  private static byte[] startup() {
    byte[] words = "user\0postgres\0database\0postgres\0\0".getBytes(StandardCharsets.US_ASCII);
    ByteBuffer packet = ByteBuffer.allocate(8 + words.length);
    packet.putInt(8 + words.length).putInt(3 << 16).put(words);
    return packet.array();
  }
}
