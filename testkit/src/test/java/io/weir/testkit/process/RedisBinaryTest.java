package io.weir.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedisBinaryTest {
  @TempDir Path folder;

  /** A script under the name of a server, which prints this version. */
  private Path installed(String version) throws IOException {
    Path file = folder.resolve("redis-server");
    Files.writeString(file, "#!/bin/sh\necho 'Redis server v=" + version + " sha=0:0 bits=64'\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
    return file;
  }

  @Test
  void theBundledOneRunsWithTls() {
    RedisBinary bundled = RedisBinary.bundled();

    assertThat(bundled.version()).isEqualTo("7.0.15");
    try (TlsFiles files = TlsFiles.create();
        RedisServer redis = RedisServer.builder().binary(bundled).tls(files).start()) {
      assertThat(redis.info("redis_version")).isEqualTo(bundled.version());
      assertThat(redis.command("CONFIG", "GET", "tls-port").toString())
          .contains(Integer.toString(redis.tlsPort()));
    }
  }

  @Test
  void theOldestOneRuns() {
    RedisBinary oldest = RedisBinary.oldest();

    assertThat(oldest.version()).startsWith("6.2.");
    try (RedisServer redis = RedisServer.builder().binary(oldest).start()) {
      assertThat(redis.info("redis_version")).isEqualTo(oldest.version());
    }
  }

  @Test
  void installedServerIsUsedOnlyIfTheVariableIsSet() throws IOException {
    Path file = installed("7.2.5");
    String path = "/nowhere::" + folder;

    assertThat(RedisBinary.chosen("", path)).isEqualTo(RedisBinary.bundled());
    assertThat(RedisBinary.chosen(" ", path)).isEqualTo(RedisBinary.bundled());
    assertThat(RedisBinary.chosen("installed", path)).isEqualTo(new RedisBinary(file, "7.2.5"));
    assertThatThrownBy(() -> RedisBinary.chosen("installed", "/nowhere"))
        .hasMessage("WEIR_TEST_REDIS=installed: there is no redis-server on the PATH");
  }

  @Test
  void theVariableMayNameAFile() throws IOException {
    Path file = installed("8.0.1");

    assertThat(RedisBinary.chosen(file.toString(), "")).isEqualTo(new RedisBinary(file, "8.0.1"));
    assertThatThrownBy(() -> RedisBinary.chosen("/nowhere/valkey-server", ""))
        .hasMessageContaining("/nowhere/valkey-server is not an executable file");
  }

  @Test
  void refusesAServerOlderThanSupported() throws IOException {
    Path file = installed("6.2.14");

    assertThatThrownBy(() -> RedisBinary.chosen(file.toString(), ""))
        .hasMessageContaining("is Redis 6.2.14; tests need 7.0 or later");
  }

  @Test
  void comparesVersionsByNumber() {
    RedisBinary binary = new RedisBinary(Path.of("redis-server"), "6.10.1");

    assertThat(binary.isAtLeast(6, 2)).isTrue();
    assertThat(binary.isAtLeast(6, 11)).isFalse();
    assertThat(binary.isAtLeast(7, 0)).isFalse();
    assertThat(binary.isAtLeast(5, 99)).isTrue();
  }
}
