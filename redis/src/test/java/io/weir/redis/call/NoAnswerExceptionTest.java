package io.weir.redis.call;

import static io.weir.redis.fixture.RedisStores.one;
import static io.weir.redis.fixture.RedisStores.plenty;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisCommandExecutionException;
import io.weir.redis.RedisOptions;
import io.weir.redis.RedisStore;
import io.weir.redis.fixture.RecordingRedisEvents;
import io.weir.redis.fixture.StoreLoad;
import io.weir.store.Pool;
import io.weir.testkit.process.RedisBinary;
import io.weir.testkit.process.RedisServer;
import io.weir.time.SystemTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The kind of each failure, by the error messages of every supported Redis. */
@Tag("process")
class NoAnswerExceptionTest {
  private final RecordingRedisEvents events = new RecordingRedisEvents();
  private final Pool pool = plenty("kinds");
  private final Pool beside = plenty("beside");

  static List<RedisBinary> binaries() {
    return List.of(RedisBinary.find(), RedisBinary.oldest());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          AUTH     | NOPERM this user has no permissions to run the 'evalsha' command
          AUTH     | NOAUTH Authentication required.
          AUTH     | WRONGPASS invalid username-password pair or user is disabled.
          AUTH     | ERR The user executing the script can't run this command or subcommand script: 1f, on @user_script:1.
          AUTH     | ERR The user executing the script can't access at least one of the keys mentioned in the command script: 1f, on @user_script:1.
          AUTH     | ERR ACL failure in script: User weir has no permissions to run the 'set' command script: 1f, on @user_script:1.
          AUTH     | ERR Error running script (call to f_1f): @user_script:1: @user_script: 1: The user executing the script can't run this command or subcommand
          BUSY     | MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.
          BUSY     | ERR Error running script (call to f_1f): @user_script:1: @user_script: 1: -MISCONF Redis is configured to save RDB snapshots
          BUSY     | CLUSTERDOWN The cluster is down
          BUSY     | BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
          OOM      | OOM command not allowed when used memory > 'maxmemory'. script: 1f, on @user_script:1.
          OOM      | ERR Error running script (call to f_1f): @user_script:1: @user_script: 1: -OOM command not allowed when used memory > 'maxmemory'.
          READONLY | READONLY You can't write against a read only replica.
          READONLY | ERR Error running script (call to f_1f): @user_script:1: @user_script: 1: -READONLY You can't write against a read only replica.
          LOADING  | LOADING Redis is loading the dataset in memory
          ERROR    | ERR Error running script (call to f_1f): @user_script:1: user_script:1: data string too short
          ERROR    | ERR user_script:1: data string too short script: 1f, on @user_script:1.
          ERROR    | WRONGTYPE Operation against a key holding the wrong kind of value
          """)
  void kindFollowsFromTheErrorOfRedis(NoAnswerException.Kind kind, String error) {
    assertThat(NoAnswerException.from(new RedisCommandExecutionException(error)).kind())
        .isEqualTo(kind);
  }

  /** Causes a failure on a server, and repairs it. */
  private void causes(String kind, Runnable begin, Runnable end, StoreLoad load) {
    events.calls.clear();
    begin.run();
    await(kind).until(() -> events.calls.contains(kind));
    end.run();
    load.awaitAnswered(1);
  }

  private void causesAuth(RedisServer server, String command, StoreLoad load) {
    causes("auth", () -> user(server, "-" + command), () -> user(server, "+" + command), load);
  }

  private static void user(RedisServer server, String rule) {
    server.command("ACL", "SETUSER", "weir", rule);
  }

  @ParameterizedTest
  @MethodSource("binaries")
  void everyKindOfFailureIsReportedByItsName(RedisBinary binary) throws IOException {
    try (RedisServer server = RedisServer.builder().binary(binary).start()) {
      server.command("ACL", "SETUSER", "weir", "on", ">secret", "~*", "+@all");
      RedisOptions options =
          RedisOptions.of(server.uri())
              .timeout(Duration.ofMillis(100))
              .credentials(new RedisOptions.Credentials("weir", "secret"));
      try (RedisStore store = RedisStore.open(options, SystemTime.INSTANCE, events);
          StoreLoad load = StoreLoad.on(store, n -> List.of(one(pool, "a"), one(beside, "a")))) {
        load.awaitAnswered(1);
        assertThat(events.calls).contains("answered");

        causes("oom", () -> limit(server, "1"), () -> limit(server, "0"), load);
        for (String command : List.of("evalsha", "set", "time")) {
          causesAuth(server, command, load);
        }
        causes("timeout", () -> server.command("CLIENT", "PAUSE", "400", "WRITE"), () -> {}, load);
        causes(
            "readonly",
            () -> server.command("REPLICAOF", "127.0.0.1", "1"),
            () -> server.command("REPLICAOF", "NO", "ONE"),
            load);
        failToSave(server);
        causes(
            "busy",
            () -> server.command("CONFIG", "SET", "stop-writes-on-bgsave-error", "yes"),
            () -> server.command("CONFIG", "SET", "stop-writes-on-bgsave-error", "no"),
            load);
        server.kill();
        await().until(() -> events.calls.contains("disconnected"));
      }
    }
  }

  private static void limit(RedisServer server, String maxmemory) {
    server.command("CONFIG", "SET", "maxmemory", maxmemory);
  }

  /** Leaves a Redis that could not write its last snapshot, but still serves. */
  private static void failToSave(RedisServer server) throws IOException {
    server.command("CONFIG", "SET", "stop-writes-on-bgsave-error", "no");
    server.command("CONFIG", "SET", "save", "3600 1000000");
    String folder = (String) ((List<?>) server.command("CONFIG", "GET", "dir")).get(1);
    String file = (String) ((List<?>) server.command("CONFIG", "GET", "dbfilename")).get(1);
    Path snapshot = Path.of(folder, file);
    Files.deleteIfExists(snapshot);
    Files.createDirectory(snapshot); // a file cannot replace it
    server.command("BGSAVE");
    await().until(() -> server.info("rdb_last_bgsave_status").equals("err"));
  }

  /** Some calls need a command that others do not; a node that refuses it cannot serve them. */
  @ParameterizedTest
  @MethodSource("binaries")
  void nodeThatRefusesOneCommandStaysUnavailableUntilItAllowsIt(RedisBinary binary) {
    try (RedisServer server = RedisServer.builder().binary(binary).start()) {
      server.command("ACL", "SETUSER", "weir", "on", ">secret", "~*", "+@all");
      RedisOptions options =
          RedisOptions.of(server.uri())
              .credentials(new RedisOptions.Credentials("weir", "secret"))
              .timeout(Duration.ofMillis(100));
      try (RedisStore store = RedisStore.open(options, SystemTime.INSTANCE, events);
          StoreLoad load = StoreLoad.on(store, n -> List.of(one(pool, "a"), one(beside, "a")))) {
        load.awaitAnswered(1);
        user(server, "-mget");
        await().until(() -> events.turns.contains("opens"));
        events.turns.clear();
        await()
            .during(Duration.ofSeconds(2)) // it is probed after 0.1, 0.2, 0.4 and 0.8 s
            .atMost(Duration.ofSeconds(20))
            .until(() -> !events.turns.contains("closes"));
        user(server, "+mget");
        load.awaitAnswered(1);
      }
    }
  }
}
