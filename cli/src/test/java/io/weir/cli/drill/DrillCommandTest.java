package io.weir.cli.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.cli.CommandRun;
import io.weir.cli.output.JsonMap;
import io.weir.testkit.process.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
@Tag("process")
class DrillCommandTest {
  private static CommandRun drill(String... more) {
    String[] arguments = new String[1 + more.length];
    arguments[0] = "drill";
    System.arraycopy(more, 0, arguments, 1, more.length);
    return CommandRun.of(arguments);
  }

  /**
   * The exit code is not checked: recovery time depends on the load of the machine. Cut connections
   * may be restored before the next step, and a Redis that is slow for a second need not delay many
   * calls.
   */
  @ParameterizedTest
  @CsvSource({
    "redis-hang, open",
    "redis-slow, (open|closed)",
    "redis-cut, (open|closed)",
    "redis-full, open"
  })
  void injectsAndRepairsTheFault(String outage, String breaker) {
    try (RedisServer redis = RedisServer.start()) {
      CommandRun run = drill(outage, "--redis", redis.uri(), "--for", "1s");

      assertThat(run.err()).isEmpty();
      assertThat(run.code()).isBetween(0, 1);
      assertThat(run.out())
          .containsPattern("(?m)^ +time +phase +breaker ")
          .containsPattern("(?m)^ +0\\.[5-9] s +closed ")
          .containsPattern("(?m)^ +[3-9]\\.[0-9] s  " + outage + " +" + breaker + " ")
          .containsPattern("(?m)^(ok|fail): decisions were ");
      assertThat(redis.command("SET", "a", "b")).isEqualTo("OK");
      assertThat(redis.text("INFO", "memory")).contains("maxmemory:0\r\n");
    }
  }

  @Test
  void printsOneJsonObject() throws java.io.IOException {
    try (RedisServer redis = RedisServer.start()) {
      CommandRun run =
          drill("redis-hang", "--redis", redis.uri(), "--for", "1s", "--output", "json");
      JsonMap report = JsonMap.parse(run.out());

      assertThat(run.err()).isEmpty();
      assertThat(report.text("outage")).isEqualTo("redis-hang");
      assertThat(report.flag("ok")).isEqualTo(run.code() == 0);
      assertThat(report.number("back_ms")).isNotNegative();
      assertThat(report.number("slowest_us")).isPositive();
      assertThat(report.maps("steps"))
          .extracting(step -> step.text("phase"))
          .startsWith("before")
          .contains("redis-hang")
          .endsWith("over");
      assertThat(report.maps("steps"))
          .as("a step before the outage")
          .filteredOn(step -> step.text("phase").equals("before"))
          .anySatisfy(
              step -> {
                assertThat(step.text("breaker")).isEqualTo("closed");
                assertThat(step.map("on_fail").map("closed").number("allowed")).isPositive();
                // A refusal from memory takes less than a microsecond.
                assertThat(step.number("median_us")).isNotNegative();
              });
    }
  }

  @Test
  void restartsAKilledRedis() {
    try (RedisServer redis = RedisServer.start()) {
      CommandRun run =
          drill(("redis-kill --for 1s --wait 2s --restart exit --redis " + redis.uri()).split(" "));

      assertThat(run.code()).as("Redis was not restarted").isEqualTo(1);
      assertThat(run.out()).containsPattern("(?m)^fail: decisions were not served");
      assertThat(redis.isRunning()).isFalse();
    }
  }

  @Test
  void isOkOnceRedisServesAgain() {
    try (RedisServer redis = RedisServer.start()) {
      String again =
          redis.binary().path()
              + " --save '' --daemonize yes --bind 127.0.0.1 --port "
              + redis.port();
      try {
        CommandRun run =
            drill("redis-kill", "--for", "1s", "--restart", again, "--redis", redis.uri());

        assertThat(run.out()).containsPattern("(?m)^ok: decisions were served by Redis again");
        assertThat(run.code()).isZero();
      } finally {
        long started = Long.parseLong(redis.info("process_id"));
        ProcessHandle.of(started).ifPresent(ProcessHandle::destroyForcibly);
      }
    }
  }

  @Test
  void refusesARedisOnAnotherHost() {
    CommandRun run = drill("redis-hang", "--redis", "redis://192.0.2.1:6379");

    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err())
        .isEqualTo("weir: 192.0.2.1:6379 is not on loopback; a drill needs a Redis of your own\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"allkeys-lru", "volatile-ttl"})
  void refusesToFillARedisThatEvicts(String policy) {
    try (RedisServer redis = RedisServer.builder().config("maxmemory-policy " + policy).start()) {
      for (int i = 0; i < 100; i++) {
        redis.command("SET", "key-" + i, "of somebody", "EX", "600");
      }

      CommandRun run = drill("redis-full", "--redis", redis.uri(), "--for", "1s");

      assertThat(redis.command("DBSIZE")).isEqualTo(100L);
      assertThat(run.code()).isEqualTo(2);
      assertThat(run.err())
          .contains("has maxmemory-policy " + policy + " and would drop keys")
          .hasLineCount(1);
      assertThat(redis.text("INFO", "memory")).contains("maxmemory:0\r\n");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis-dance|unknown drill redis-dance",
        "redis-hang --for soon|--for: ",
        "redis-hang --wait long|--wait: ",
        "redis-hang --redis nowhere|--redis: ",
        "redis-kill|redis-kill needs --restart",
        "redis-hang --redis redis-cluster://127.0.0.1:1|single Redis",
        "redis-hang --redis redis://127.0.0.1:1|127.0.0.1:1"
      })
  void reportsUsageErrorsInOneLine(String line) {
    String[] parts = line.split("\\|");
    CommandRun run = drill(parts[0].split(" "));

    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains(parts[1]).hasLineCount(1);
  }
}
