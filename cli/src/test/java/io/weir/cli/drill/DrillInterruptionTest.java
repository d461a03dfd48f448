package io.weir.cli.drill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.cli.Main;
import io.weir.testkit.process.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A drill that is interrupted, for example by Ctrl-C, restores Redis. */
@Timeout(120)
@Tag("process")
class DrillInterruptionTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir Path folder;

  /** A drill of an hour, in a separate process. */
  private Process drill(String outage, RedisServer redis, String... more) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(Main.class.getName());
    command.addAll(List.of("drill", outage, "--redis", redis.uri(), "--for", "1h"));
    command.addAll(List.of(more));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(output().toFile())
        .start();
  }

  private Path output() {
    return folder.resolve("output");
  }

  private void awaitPhase(String phase) {
    await("a line of " + phase)
        .atMost(PATIENCE)
        .until(
            () ->
                Files.readAllLines(output()).stream()
                    .anyMatch(l -> l.contains(" s  " + phase + " ")));
  }

  /** SIGINT, or SIGTERM if the parent process ignores SIGINT, which child processes inherit. */
  private static String signal() throws IOException {
    String ignored =
        Files.readAllLines(Path.of("/proc/self/status")).stream()
            .filter(line -> line.startsWith("SigIgn:"))
            .map(line -> line.substring("SigIgn:".length()).strip())
            .findFirst()
            .orElse("0");
    return (Long.parseUnsignedLong(ignored, 16) & 0b10) == 0 ? "INT" : "TERM";
  }

  private static void interrupt(Process drill) throws Exception {
    new ProcessBuilder("sh", "-c", "kill -s " + signal() + " " + drill.pid()).start().waitFor();
    assertThat(drill.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as("it ends").isTrue();
  }

  @Test
  void restoresTheMemoryLimitOfAFullRedis() throws Exception {
    try (RedisServer redis = RedisServer.builder().config("maxmemory 123mb").start()) {
      String before = redis.info("maxmemory");
      Process drill = drill("redis-full", redis);
      try {
        awaitPhase("redis-full");
        assertThat(redis.info("maxmemory")).isEqualTo("1");
        interrupt(drill);
      } finally {
        drill.destroyForcibly();
      }
      assertThat(redis.info("maxmemory")).isEqualTo(before);
      assertThat(redis.command("SET", "a", "b")).isEqualTo("OK");
    }
  }

  @Test
  void resumesAHangingRedis() throws Exception {
    try (RedisServer redis = RedisServer.start()) {
      Process drill = drill("redis-hang", redis);
      try {
        awaitPhase("redis-hang");
        interrupt(drill);
      } finally {
        drill.destroyForcibly();
      }
      await().atMost(Duration.ofSeconds(4)).until(() -> answers(redis));
    }
  }

  private static boolean answers(RedisServer redis) {
    try {
      return redis.command("PING").equals("PONG");
    } catch (UncheckedIOException e) {
      return false;
    }
  }

  @Test
  void restartsAKilledRedisWhenInterrupted() throws Exception {
    Path started = folder.resolve("started");
    try (RedisServer redis = RedisServer.start()) {
      Process drill = drill("redis-kill", redis, "--restart", "touch " + started);
      try {
        awaitPhase("redis-kill");
        assertThat(redis.isRunning()).isFalse();
        assertThat(started).doesNotExist();
        interrupt(drill);
      } finally {
        drill.destroyForcibly();
      }
      await().atMost(PATIENCE).until(() -> Files.exists(started));
    }
  }
}
