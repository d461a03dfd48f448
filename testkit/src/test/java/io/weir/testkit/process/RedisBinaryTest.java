package io.weir.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class RedisBinaryTest {
  @Test
  void prefersTheInstalledOne() {
    RedisBinary found = RedisBinary.find();

    assertThat(found.path()).isExecutable();
    assertThat(found.isAtLeast(6, 2)).isTrue();
    assertThat(found).isEqualTo(RedisBinary.installed().orElseGet(RedisBinary::embedded));
  }

  @Test
  void theEmbeddedOneRuns() {
    RedisBinary embedded = RedisBinary.embedded();

    assertThat(embedded.version()).startsWith("6.2.");
    try (RedisServer redis = RedisServer.builder().binary(embedded).start()) {
      assertThat(redis.info("redis_version")).isEqualTo(embedded.version());
    }
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
