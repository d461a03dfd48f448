package io.weir.testkit.process;

import static io.weir.testkit.process.ProcessAssertions.assertGone;
import static io.weir.testkit.process.ProcessAssertions.isGone;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("process")
class RedisServerTest {
  @Test
  void answersEveryKindOfReply() {
    try (RedisServer redis = RedisServer.start()) {
      assertThat(redis.command("SET", "a", "grüße\r\n")).isEqualTo("OK");
      assertThat(redis.text("GET", "a")).isEqualTo("grüße\r\n");
      assertThat(redis.command("INCR", "n")).isEqualTo(1L);
      assertThat(redis.command("GET", "none")).isEqualTo(Optional.empty());
      assertThat(redis.command("MGET", "n", "none")).isEqualTo(List.of("1", Optional.empty()));
      assertThatThrownBy(() -> redis.command("INCR", "a"))
          .isInstanceOf(RedisReplyException.class)
          .hasMessageStartingWith("ERR value is not an integer");
    }
  }

  @Test
  void restartsOnTheSamePortAfterAKill() {
    try (RedisServer redis = RedisServer.start()) {
      redis.command("SET", "a", "1");
      long first = redis.pid();

      redis.kill();
      assertGone(first);
      assertThat(redis.isRunning()).isFalse();
      assertThatThrownBy(() -> redis.command("PING")).isInstanceOf(UncheckedIOException.class);

      redis.restart();
      assertThat(redis.isRunning()).isTrue();
      assertThat(redis.command("GET", "a")).isEqualTo(Optional.empty());
    }
  }

  @Test
  void keepsItsDataThroughAKillIfConfigured() {
    try (RedisServer redis =
        RedisServer.builder().config("appendonly yes").config("appendfsync always").start()) {
      redis.command("SET", "a", "1");
      redis.restart();
      assertThat(redis.text("GET", "a")).isEqualTo("1");
    }
  }

  @Test
  void acceptsConnectionsAndAnswersNothingWhenFrozen() throws Exception {
    try (RedisServer redis = RedisServer.start()) {
      redis.freeze();
      assertThat(redis.isRunning()).isFalse();
      try (RespClient connection = RespClient.connect(redis.port(), Duration.ofMillis(200))) {
        assertThatThrownBy(() -> connection.call(List.of("PING")))
            .isInstanceOf(SocketTimeoutException.class);
      }
      redis.thaw();
      assertThat(redis.text("PING")).isEqualTo("PONG");
    }
  }

  @Test
  void closesEvenWhenFrozen() {
    RedisServer redis = RedisServer.start();
    redis.freeze();
    redis.close();
    assertGone(redis.pid());
  }

  @Test
  void obeysItsConfiguration() {
    try (RedisServer redis =
        RedisServer.builder().config("maxmemory 2mb").config("maxmemory 3mb").start()) {
      assertThat(redis.info("maxmemory")).isEqualTo(Integer.toString(3 << 20));
    }
  }

  @Test
  void asksForThePassword() throws Exception {
    try (RedisServer redis = RedisServer.builder().password("secret").start();
        RespClient stranger = RespClient.connect(redis.port(), Duration.ofSeconds(5))) {
      assertThat(redis.text("PING")).isEqualTo("PONG");
      assertThatThrownBy(() -> stranger.call(List.of("PING"))).hasMessageStartingWith("NOAUTH");
    }
  }

  @Test
  void holdsUsersToTheirRights() throws Exception {
    try (RedisServer redis =
            RedisServer.builder()
                .acl("user default off", "user weir on >secret ~weir:* +get +set")
                .start();
        RespClient weir = RespClient.connect(redis.port(), Duration.ofSeconds(5))) {
      weir.call(List.of("AUTH", "weir", "secret"));
      assertThat(weir.call(List.of("SET", "weir:a", "1"))).isEqualTo("OK");
      assertThatThrownBy(() -> weir.call(List.of("SET", "a", "1")))
          .hasMessageStartingWith("NOPERM");
      assertThat(redis.text("GET", "weir:a")).isEqualTo("1");
    }
  }

  @Test
  void acceptsTlsOnlyWithACertificate() throws Exception {
    try (TlsFiles files = TlsFiles.create();
        RedisServer redis = RedisServer.builder().mutualTls(files).start()) {
      try (Socket socket =
              files.clientContext().getSocketFactory().createSocket(redis.host(), redis.tlsPort());
          RespClient connection = RespClient.over(socket)) {
        assertThat(connection.call(List.of("PING"))).isEqualTo("PONG");
      }
      try (RespClient plain = RespClient.connect(redis.tlsPort(), Duration.ofSeconds(5))) {
        assertThatThrownBy(() -> plain.call(List.of("PING"))).isInstanceOf(IOException.class);
      }
      for (Path file : List.of(files.clientCertificate(), files.clientKey(), files.ca())) {
        assertThat(Files.readString(file)).startsWith("-----BEGIN ");
      }
    }
  }

  @Test
  void logsWhyItDidNotStart() {
    assertThatThrownBy(() -> RedisServer.builder().config("no-such-thing 1").start())
        .hasMessageContaining("no-such-thing");
  }

  @Test
  void leavesNothingBehind() {
    RedisServer redis = RedisServer.builder().config("loglevel notice").start();
    Path folder = Path.of(((List<?>) redis.command("CONFIG", "GET", "dir")).get(1).toString());
    assertThat(folder).isDirectory();
    redis.close();
    redis.close();

    assertGone(redis.pid());
    assertThat(folder).doesNotExist();
    assertThat(redis.log()).contains("Ready to accept connections");
  }

  @Test
  void diesWithTheJvmThatStartedIt(@TempDir Path folder) throws Exception {
    assumeTrue(ChildProcess.canDieWithParent(), "needs setpriv");
    Process jvm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + folder,
                "-cp",
                System.getProperty("java.class.path"),
                OrphanProcess.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader output =
        new BufferedReader(new InputStreamReader(jvm.getInputStream(), StandardCharsets.UTF_8))) {
      long pid = Long.parseLong(output.readLine());
      assertThat(isGone(pid)).isFalse();
      jvm.destroyForcibly().waitFor();
      await().atMost(Duration.ofSeconds(5)).until(() -> isGone(pid));
    } finally {
      jvm.destroyForcibly();
    }
  }
}
