package io.weir.redis;

import static io.weir.redis.Stores.PATIENT;
import static io.weir.redis.Stores.one;
import static io.weir.redis.Stores.plenty;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.weir.redis.RedisOptions.Clock;
import io.weir.redis.RedisOptions.Credentials;
import io.weir.store.Pool;
import io.weir.testkit.process.RedisCluster;
import io.weir.testkit.process.RedisServer;
import io.weir.time.SystemTime;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Passwords and rights. */
class AccessTest {
  /** All that a store needs on a single Redis, behind Sentinels or in a ring. */
  private static final List<String> COMMANDS =
      List.of(
          "+evalsha", "+eval", "+script|load", "+role", "+time", "+get", "+mget", "+set", "+del");

  /** What it needs besides in a Cluster. */
  private static final List<String> CLUSTER_COMMANDS = List.of("+cluster|nodes", "+asking");

  private static void allow(RedisServer server, String user, List<String> commands) {
    List<String> words = new ArrayList<>(List.of("ACL", "SETUSER", user, "reset", "on"));
    words.addAll(List.of(">secret", "~weir:1:*", "-@all"));
    words.addAll(commands);
    server.command(words.toArray(String[]::new));
  }

  private static Load load(RedisStore store, Pool pool) {
    return Load.on(store, n -> List.of(one(pool, "key-" + n % 50)));
  }

  private static RedisOptions as(String uri, String user) {
    return RedisOptions.of(uri).timeout(PATIENT).credentials(new Credentials(user, "secret"));
  }

  @Test
  void aUserWithTheDocumentedRightsIsEnough() {
    try (RedisServer redis = RedisServer.start()) {
      allow(redis, "weir", COMMANDS);
      try (RedisStore store = Stores.ready(as(redis.uri(), "weir"));
          Load load = load(store, plenty("rights"))) {
        load.awaitAnswered(50);
        redis.command("SCRIPT", "FLUSH");
        load.awaitAnswered(50);
        redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        load.awaitAnswered(50);
      }
    }
  }

  @Test
  void aUserWithTheDocumentedRightsIsEnoughInACluster() {
    RedisCluster cluster = SharedCluster.get();
    List<String> commands = Stream.concat(COMMANDS.stream(), CLUSTER_COMMANDS.stream()).toList();
    cluster.nodes().forEach(node -> allow(node, "weir", commands));
    try (RedisStore store = Stores.ready(as("redis-cluster://" + cluster.addresses(), "weir"));
        Load load = load(store, plenty("rights"))) {
      load.awaitAnswered(50);
    } finally {
      cluster.nodes().forEach(node -> node.command("ACL", "DELUSER", "weir"));
    }
  }

  @Test
  void whereTimeIsForbiddenTheClockOfTheInstanceDecides() {
    try (RedisServer redis = RedisServer.start()) {
      allow(redis, "weir", COMMANDS.stream().filter(word -> !word.equals("+time")).toList());
      try (RedisStore store = Stores.ready(as(redis.uri(), "weir").clock(Clock.INSTANCE));
          Load load = load(store, plenty("no-time"))) {
        load.awaitAnswered(50).stop().assertKept(PATIENT);
        assertThat(load.unanswered()).isZero();
      }
    }
  }

  @Test
  void aUserWithoutRightsIsNotServedUntilItGetsThem() {
    try (RedisServer redis = RedisServer.start()) {
      allow(redis, "weir", List.of("+role", "+script|load"));
      try (RedisStore store = RedisStore.open(as(redis.uri(), "weir"), SystemTime.INSTANCE);
          Load load = load(store, plenty("no-rights"))) {
        load.awaitUnanswered(200);
        assertThat(load.answered()).isZero();
        allow(redis, "weir", COMMANDS);
        load.awaitAnswered(50).stop().assertKept(PATIENT);
      }
    }
  }

  @Test
  void aWrongPasswordIsNotServedAndNotToldUntilItIsRight() {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    Logger logger = (Logger) LoggerFactory.getLogger("io.weir.redis");
    log.start();
    logger.addAppender(log);
    logger.setLevel(Level.TRACE);
    logger.setAdditive(false);
    try (RedisServer redis = RedisServer.builder().password("right").start();
        RedisStore store =
            RedisStore.open(
                RedisOptions.of(redis.uri().replace("//", "//:hunter2@")).timeout(PATIENT),
                SystemTime.INSTANCE);
        Load load = load(store, plenty("password"))) {
      await("a word about it").until(() -> !log.list.isEmpty());
      load.awaitUnanswered(100);
      assertThat(load.answered()).isZero();
      assertThat(log.list).noneMatch(event -> event.getFormattedMessage().contains("hunter2"));
      redis.command("ACL", "SETUSER", "default", ">hunter2");
      load.awaitAnswered(50).stop().assertKept(PATIENT);
    } finally {
      logger.detachAppender(log);
      logger.setLevel(Level.OFF);
      logger.setAdditive(true);
    }
  }

  @Test
  void aClusterMayAskForAPassword() {
    try (RedisCluster cluster =
            RedisCluster.builder().primaries(2).replicasEach(0).password("secret").start();
        RedisStore store = Stores.ready(as("redis-cluster://" + cluster.addresses(), ""));
        Load load = load(store, plenty("password"))) {
      load.awaitAnswered(50).stop().assertKept(PATIENT);
      assertThat(load.unanswered()).isZero();
    }
  }
}
