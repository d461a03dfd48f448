package io.weir.testkit.process;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.awaitility.core.ConditionTimeoutException;

/**
 * One real Redis process on a loopback port, with fault injection: killed, frozen, restarted on the
 * same port.
 *
 * <pre>{@code
 * try (RedisServer redis = RedisServer.builder().config("maxmemory 2mb").start()) {
 *   redis.command("SET", "a", "1");
 *   redis.freeze(); // it accepts connections and answers nothing
 *   redis.thaw();
 *   redis.kill(); // kill -9
 *   redis.restart();
 * }
 * }</pre>
 */
public final class RedisServer implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofSeconds(20);
  private static final Duration REPLY_LIMIT = Duration.ofSeconds(5);
  private static final int LOG_LINES = 40;

  private final RedisBinary binary;
  private final List<String> command;
  private final int port;
  private final int tlsPort;
  private final List<String> auth;
  private final TempFolder scratch;
  private volatile ChildProcess process;
  private volatile boolean frozen;
  private volatile String finalLog = "";

  RedisServer(
      RedisBinary binary,
      List<String> command,
      int port,
      int tlsPort,
      List<String> auth,
      TempFolder scratch) {
    this.binary = binary;
    this.command = command;
    this.port = port;
    this.tlsPort = tlsPort;
    this.auth = auth;
    this.scratch = scratch;
    this.process = spawn();
  }

  /** Starts a server with the default configuration. */
  public static RedisServer start() {
    return builder().start();
  }

  public static RedisServerBuilder builder() {
    return new RedisServerBuilder();
  }

  public RedisBinary binary() {
    return binary;
  }

  public String host() {
    return "127.0.0.1";
  }

  public int port() {
    return port;
  }

  /** {@code redis://127.0.0.1:port}, without credentials. */
  public String uri() {
    return "redis://" + host() + ":" + port;
  }

  /** The TLS port. */
  public int tlsPort() {
    if (tlsPort == 0) {
      throw new IllegalStateException("started without TLS");
    }
    return tlsPort;
  }

  public long pid() {
    return process.pid();
  }

  /** Whether the process exists and is not frozen. */
  public boolean isRunning() {
    return process.isAlive() && !frozen;
  }

  /**
   * Sends a command on a new connection. The reply is a {@code String}, {@code Long}, {@code
   * List<Object>}, or an empty {@code Optional} for nil; a Redis error is thrown as {@link
   * RedisReplyException}, a broken connection or no reply within 5 s as {@link
   * UncheckedIOException}.
   */
  public Object command(String... words) {
    return command(StandardCharsets.UTF_8, List.of(words));
  }

  /** As {@link #command}, for commands that reply with text. */
  public String text(String... words) {
    return (String) command(words);
  }

  /** One field of {@code INFO}, such as {@code used_memory}. */
  public String info(String field) {
    return text("INFO", "everything")
        .lines()
        .filter(line -> line.startsWith(field + ":"))
        .map(line -> line.substring(field.length() + 1).strip())
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no field " + field + " in INFO"));
  }

  /** Number of script calls that it has executed, by any command. */
  public long scriptCalls() {
    return text("INFO", "commandstats")
        .lines()
        .filter(line -> line.startsWith("cmdstat_eval"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("^\\w+:calls=(\\d+),.*", "$1")))
        .sum();
  }

  /** The password that {@link RedisServerBuilder#password} set. */
  Optional<String> password() {
    return auth.size() == 2 ? Optional.of(auth.get(1)) : Optional.empty();
  }

  Object command(Charset charset, List<String> words) {
    try (RespClient connection = RespClient.connect(port, REPLY_LIMIT, charset)) {
      if (!auth.isEmpty()) {
        connection.call(auth);
      }
      return connection.call(words);
    } catch (IOException e) {
      throw new UncheckedIOException(this + ": " + words.get(0) + ": " + e.getMessage(), e);
    }
  }

  /** {@code kill -9}. Connections break at once, and new ones are refused. */
  public void kill() {
    process.kill();
    frozen = false;
  }

  /** {@code SIGSTOP}: the kernel still accepts connections and bytes, but nothing answers. */
  public void freeze() {
    process.signal("STOP");
    frozen = true;
  }

  /**
   * {@code SIGCONT}: continues where it was frozen, and answers the requests received meanwhile.
   */
  public void thaw() {
    process.signal("CONT");
    frozen = false;
  }

  /** Starts it again on the same port and folder; kills it first if it runs. */
  public void restart() {
    kill();
    process = spawn();
    awaitReady();
  }

  /** The last lines that the process logged; available after close, too. */
  public String log() {
    return finalLog.isEmpty() ? ChildProcess.tail(logFile(), LOG_LINES) : finalLog;
  }

  @Override
  public void close() {
    kill();
    finalLog = log();
    scratch.close();
  }

  @Override
  public String toString() {
    return "redis " + binary.version() + " on " + port;
  }

  RedisServer awaitReady() {
    try {
      await(this + " to answer")
          .atMost(START_LIMIT)
          .pollInterval(Duration.ofMillis(10))
          .until(() -> !process.isAlive() || answersPing());
    } catch (ConditionTimeoutException tooSlow) {
      kill();
    }
    if (!process.isAlive()) {
      close();
      throw new IllegalStateException(this + " did not start; it logged:\n" + log());
    }
    return this;
  }

  private boolean answersPing() {
    try {
      return command("PING").equals("PONG");
    } catch (UncheckedIOException | RedisReplyException notYet) {
      return false;
    }
  }

  private ChildProcess spawn() {
    return ChildProcess.start(command, scratch.path(), logFile());
  }

  private Path logFile() {
    return scratch.file("redis.log");
  }
}
