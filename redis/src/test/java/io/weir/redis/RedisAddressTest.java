package io.weir.redis;

import static io.weir.redis.RedisAddress.Topology.CLUSTER;
import static io.weir.redis.RedisAddress.Topology.RING;
import static io.weir.redis.RedisAddress.Topology.SENTINEL;
import static io.weir.redis.RedisAddress.Topology.SINGLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.redis.RedisAddress.Node;
import io.weir.redis.RedisOptions.Credentials;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisAddressTest {
  private static RedisAddress parse(String text) {
    return RedisAddress.parse(text);
  }

  @Test
  void readsEveryTopology() {
    assertThat(parse("redis://localhost"))
        .isEqualTo(
            new RedisAddress(
                SINGLE, false, List.of(new Node("localhost", 6379)), 0, "", Credentials.NONE));
    assertThat(parse("redis-sentinel://mymaster@a,b:1,c:2/3"))
        .isEqualTo(
            new RedisAddress(
                SENTINEL,
                false,
                List.of(new Node("a", 26379), new Node("b", 1), new Node("c", 2)),
                3,
                "mymaster",
                Credentials.NONE));
    assertThat(parse("redis-cluster://a:1,b").nodes())
        .containsExactly(new Node("a", 1), new Node("b", 6379));
    assertThat(parse("redis-cluster://a:1,b").topology()).isEqualTo(CLUSTER);
    assertThat(parse("redis-ring://a:1, b:2,c:3/5").topology()).isEqualTo(RING);
    assertThat(parse("redis-ring://a:1, b:2,c:3/5").database()).isEqualTo(5);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rediss://h",
        "REDISS://h",
        "rediss-cluster://h",
        "rediss-ring://h",
        "rediss-sentinel://m@h"
      })
  void schemesWithDoubleSUseTls(String text) {
    assertThat(parse(text).tls()).isTrue();
    assertThat(parse(text.toLowerCase(java.util.Locale.ROOT).replace("rediss", "redis")).tls())
        .isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "redis://secret@h, '', secret",
    "redis://:secret@h, '', secret",
    "redis://weir:secret@h, weir, secret",
    "redis://weir:s%40cr%2Fe%3At%25@h, weir, s@cr/e:t%",
    "redis://weir:a+b@h, weir, a+b",
    "redis://weir:a:b@h, weir, a:b",
    "redis://weir:a@b@h, weir, a@b",
    "redis-cluster://weir:s@h, weir, s",
  })
  void takesUserAndPasswordFromTheText(String text, String user, String password) {
    assertThat(parse(text).credentials()).isEqualTo(new Credentials(user, password));
    assertThat(parse(text).nodes()).containsExactly(new Node("h", 6379));
  }

  @Test
  void readsIpv6Addresses() {
    assertThat(parse("redis://[::1]:7000").nodes()).containsExactly(new Node("::1", 7000));
    assertThat(parse("redis-ring://[::1],[fe80::2]:7").nodes())
        .containsExactly(new Node("::1", 6379), new Node("fe80::2", 7));
    assertThat(parse("redis://[::1]:7000")).hasToString("redis://[::1]:7000");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "localhost | begins with redis://",
        "http://h | unknown kind of Redis address: http://",
        "redis-foo://h | unknown kind of Redis address: redis-foo://",
        "redis:// | host is missing",
        "redis://:6379 | host is missing",
        "redis://a,b | redis:// takes one node",
        "redis-cluster://a,,b | host is missing",
        "redis-ring://a,b,a | a node is named twice",
        "redis-cluster://a/1 | has only database 0",
        "redis://h/x | database",
        "redis://h/-1 | database",
        "redis://h:0 | port",
        "redis://h:65536 | port",
        "redis://h:port | port",
        "redis://h: | port",
        "redis-sentinel://h:26379 | master's name is missing",
        "redis-sentinel://@h:26379 | master's name is missing",
        "redis://h?timeout=5s | host",
        "redis-sentinel://m@h1,h2#other | host",
        "redis://h/0#x | database",
        "redis://two words | host",
        "redis-sentinel://user:secret@h | master",
        "redis://user:%zz@h | password",
        "redis://[::1 | host",
      })
  void reportsTheReasonForInvalidAddresses(String text, String reason) {
    assertThatThrownBy(() -> parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(reason);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://user:hunter2@h:port",
        "redis://user:hunter2@h:99999",
        "redis://user:hunter2@",
        "redis://user:hunter2%zz@h",
        "redis://user:hunter2@a,b",
        "redis-ring://user:hunter2@a,a",
        "redis-cluster://user:hunter2@a/7",
        "redis://user:hunter2",
        "redis://hunter2@h/x",
        "redis-sentinel://user:hunter2@h",
        "redis-sentinel://:hunter2@h",
        "redis-foo://user:hunter2@h",
        "user:hunter2@h",
      })
  void errorsDoNotContainThePassword(String text) {
    assertThatThrownBy(() -> parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .satisfies(e -> assertThat(e.toString()).doesNotContain("hunter2"));
  }

  @ParameterizedTest
  @CsvSource({
    "redis://h:1, redis://h:1",
    "rediss://h, rediss://h:6379",
    "redis://weir:hunter2@h:1/3, redis://h:1/3",
    "'redis-ring://:hunter2@a:1,b:2', 'redis-ring://a:1,b:2'",
    "'rediss-sentinel://m@a:1,b:2', 'rediss-sentinel://m@a:1,b:2'",
  })
  void printsWithoutThePassword(String text, String printed) {
    assertThat(parse(text)).hasToString(printed);
  }

  @Test
  void optionsPrintNeitherPasswordNorSecretNorKey() {
    RedisOptions options =
        RedisOptions.of("rediss://weir:hunter2@h")
            .tagSecret("hunter2")
            .timeout(Duration.ofMillis(5));
    assertThat(options).hasToString("rediss://h:6379 as user weir");
    assertThat(options.credentials(new Credentials("", "hunter2")))
        .hasToString("rediss://h:6379 as default user");
  }

  @Test
  void optionsAreChecked() {
    assertThatThrownBy(() -> RedisOptions.of("redis://h").timeout(Duration.ZERO))
        .hasMessageContaining("must be greater than 0");
    assertThatThrownBy(
            () ->
                new RedisOptions.Tls(Optional.empty(), Optional.of(Path.of("a")), Optional.empty()))
        .hasMessageContaining("needs its key");
  }
}
