package io.weir.redis.link;

import static io.weir.redis.fixture.RedisStores.PATIENT;
import static io.weir.redis.fixture.RedisStores.one;
import static io.weir.redis.fixture.RedisStores.plenty;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.cluster.SlotHash;
import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.redis.RedisOptions;
import io.weir.redis.RedisOptions.Clock;
import io.weir.redis.RedisOptions.Credentials;
import io.weir.redis.RedisStore;
import io.weir.redis.doctor.DocumentedAcl;
import io.weir.redis.fixture.RedisStores;
import io.weir.redis.fixture.SharedCluster;
import io.weir.redis.fixture.StoreLoad;
import io.weir.redis.fleet.FleetMembership;
import io.weir.redis.script.KeyNames;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.LeaseGrant;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.testkit.LogCapture;
import io.weir.testkit.contract.ContractCalls;
import io.weir.testkit.process.RedisBinary;
import io.weir.testkit.process.RedisCluster;
import io.weir.testkit.process.RedisServer;
import io.weir.testkit.process.SlotMigration;
import io.weir.time.SystemTime;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Passwords and rights. */
@Tag("process")
class CredentialsTest {
  private static final List<String> LIMITS =
      List.of(
          "10/s",
          "leaky-bucket 10/s queue=9",
          "fixed-window 10/s",
          "sliding-window 10/s",
          "sliding-log 10/s",
          "quota 10/h",
          "concurrency 10");

  private static final Key KEY = Key.of("user-42");

  private static void allow(RedisServer server, String user, List<String> rules) {
    List<String> words = new ArrayList<>(List.of("ACL", "SETUSER", user, "reset", "on", ">secret"));
    words.addAll(rules);
    server.command(words.toArray(String[]::new));
  }

  private static StoreLoad load(RedisStore store, Pool pool) {
    return StoreLoad.on(store, n -> List.of(one(pool, "key-" + n % 50)));
  }

  private static RedisOptions as(String uri, String user) {
    return RedisOptions.of(uri).timeout(PATIENT).credentials(new Credentials(user, "secret"));
  }

  /** Every operation of a store, with all of its scripts. */
  private static void useEverything(RedisStore store) {
    ContractCalls calls = new ContractCalls(store);
    long reservation = 1;
    for (String limit : LIMITS) {
      Pool pool = ContractCalls.pool(limit.replace(' ', '-'), limit).withDimension("user");
      Draw hold = new Draw(pool, KEY, 1, Mode.ENFORCE, Intent.HOLD);
      Draw beside =
          new Draw(plenty("beside").withDimension("user"), KEY, 1, Mode.ENFORCE, Intent.TAKE);
      List<ReservedPart> parts = calls.reserve(++reservation, List.of(hold, beside));
      assertThat(calls.renew(reservation, parts)).isEqualTo(pool.rule().startsWith("concurrency"));
      assertThat(calls.settle(reservation, parts, 2)).isTrue();
      calls.release(reservation, parts);
      ContractCalls.get(store.refund(pool, KEY, 1));
      assertThat(calls.take(hold).taken()).isTrue();
    }
    Pool none = ContractCalls.pool("none", Limit.perSecond(0)).withDimension("user");
    assertThat(calls.take(ContractCalls.draw(none, KEY, 1)).statuses().get(0).answered()).isTrue();
    ContractCalls.get(store.refund(none, KEY, 1));
    Draw asking =
        ContractCalls.draw(plenty("lends").withDimension("user"), KEY, 1)
            .withLease(new LeaseReport(100, LeaseGrant.NONE, 0, 0, 10, 0));
    LeaseGrant lent = calls.take(asking).grants().get(0);
    assertThat(lent.lent()).isPositive();
    ContractCalls.get(store.endLease(asking.pool(), KEY, new LeaseReport(100, lent, 0, 5, 0, 0)));
    assertThat(calls.take(asking).statuses().get(0).remaining())
        .as("a lease that has ended has given back")
        .isEqualTo(RedisStores.PLENTY - 1 - 10 + 5 - 1 - 10);
  }

  /** The commands that the user was refused. */
  private static Stream<String> refused(RedisServer server) {
    return ((List<?>) server.command("ACL", "LOG"))
        .stream()
            .map(entry -> (List<?>) entry)
            .filter(entry -> entry.contains("weir"))
            .map(entry -> (String) entry.get(entry.indexOf("object") + 1));
  }

  /** Whether a command was run on a server, in or outside of scripts. */
  private static boolean wasRun(RedisServer server, String command) {
    String name = server.binary().isAtLeast(7, 0) ? command : command.replaceAll("\\|.*", "");
    return ((String) server.command("INFO", "commandstats")).contains("cmdstat_" + name + ":");
  }

  @SuppressWarnings("unchecked")
  private static List<String> keys(RedisServer server) {
    return (List<String>) (List<?>) server.command("KEYS", "*");
  }

  static List<RedisBinary> binaries() {
    return List.of(RedisBinary.find(), RedisBinary.oldest());
  }

  @ParameterizedTest
  @MethodSource("binaries")
  void documentedRightsAreSufficientAndMinimal(RedisBinary binary) {
    try (RedisServer redis = RedisServer.builder().binary(binary).start()) {
      allow(redis, "weir", DocumentedAcl.RULES);
      try (RedisStore store = RedisStores.ready(as(redis.uri(), "weir"));
          FleetMembership fleet = FleetMembership.join(store, SystemTime.INSTANCE, 7);
          StoreLoad load = load(store, plenty("rights"))) {
        useEverything(store);
        await("a heartbeat").until(() -> fleet.instances() < 7);
        load.awaitAnswered(50);
        redis.command("SCRIPT", "FLUSH");
        load.awaitAnswered(50);
        redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        load.awaitAnswered(50);
        assertThat(keys(redis))
            .anyMatch(key -> key.contains(":/fleet:"))
            .anyMatch(key -> key.contains(":settled:"))
            .allMatch(key -> key.startsWith("weir:1:{"));
      }
      assertThat(refused(redis)).isSubsetOf(binary.isAtLeast(7, 0) ? "client|setinfo" : "client");
      assertThat(DocumentedAcl.commands(DocumentedAcl.RULES))
          .allSatisfy(command -> assertThat(wasRun(redis, command)).as(command).isTrue());
    }
  }

  @Test
  void documentedRightsAreSufficientAndMinimalOnCluster() {
    RedisCluster cluster = SharedCluster.get();
    List<RedisServer> nodes = cluster.nodes();
    nodes.forEach(node -> allow(node, "weir", DocumentedAcl.inCluster()));
    nodes.forEach(node -> node.command("ACL", "LOG", "RESET"));
    nodes.forEach(node -> node.command("CONFIG", "RESETSTAT"));
    Pool pool = plenty("rights").withDimension("user");
    int slot = SlotHash.getSlot(new KeyNames(new byte[0]).bucket(pool, KEY));
    RedisServer from = cluster.primaryOf(slot);
    RedisServer to =
        cluster.primaries().stream().filter(node -> node != from).findFirst().orElseThrow();
    try (RedisStore store =
            RedisStores.ready(as("redis-cluster://" + cluster.addresses(), "weir"));
        StoreLoad load = StoreLoad.on(store, n -> List.of(ContractCalls.draw(pool, KEY, 1)))) {
      useEverything(store);
      SlotMigration migration = cluster.beginMigration(slot, to);
      migration.moveKeys();
      load.awaitAnswered(50);
      migration.finish();
      load.awaitAnswered(50);
      from.command("SCRIPT", "FLUSH");
      to.command("SCRIPT", "FLUSH");
      load.awaitAnswered(50);
    } finally {
      nodes.forEach(node -> node.command("ACL", "DELUSER", "weir"));
    }
    assertThat(nodes)
        .allSatisfy(
            node -> assertThat(refused(node)).isSubsetOf("info", "cluster|myid", "client|setinfo"));
    assertThat(DocumentedAcl.commands(DocumentedAcl.inCluster()))
        .filteredOn(command -> !command.equals("role"))
        .allSatisfy(
            command -> assertThat(nodes).as(command).anyMatch(node -> wasRun(node, command)));
  }

  @Test
  void instanceClockDecidesWhereTimeIsForbidden() {
    try (RedisServer redis = RedisServer.start()) {
      List<String> rules = DocumentedAcl.RULES;
      allow(redis, "weir", rules.stream().filter(rule -> !rule.equals("+time")).toList());
      try (RedisStore store = RedisStores.ready(as(redis.uri(), "weir").clock(Clock.INSTANCE));
          StoreLoad load = load(store, plenty("no-time"))) {
        load.awaitAnswered(50).stop().assertKept(PATIENT);
        assertThat(load.unanswered()).isZero();
      }
    }
  }

  @Test
  void missingRightsMakeTheStoreUnavailableUntilGranted() {
    try (RedisServer redis = RedisServer.start()) {
      allow(redis, "weir", List.of("~*", "+role", "+script|load"));
      try (RedisStore store = RedisStore.open(as(redis.uri(), "weir"), SystemTime.INSTANCE);
          StoreLoad load = load(store, plenty("no-rights"))) {
        load.awaitUnanswered(200);
        assertThat(load.answered()).isZero();
        allow(redis, "weir", DocumentedAcl.RULES);
        load.awaitAnswered(50).stop().assertKept(PATIENT);
      }
    }
  }

  @Test
  void wrongPasswordMakesTheStoreUnavailableAndIsNotLogged() {
    try (LogCapture log = LogCapture.ofPackage("io.weir.redis");
        RedisServer redis = RedisServer.builder().password("right").start();
        RedisStore store =
            RedisStore.open(
                RedisOptions.of(redis.uri().replace("//", "//:hunter2@")).timeout(PATIENT),
                SystemTime.INSTANCE);
        StoreLoad load = load(store, plenty("password"))) {
      await("a word about it").until(() -> !log.messages().isEmpty());
      load.awaitUnanswered(100);
      assertThat(load.answered()).isZero();
      assertThat(log.messages()).noneMatch(line -> line.contains("hunter2"));
      redis.command("ACL", "SETUSER", "default", ">hunter2");
      load.awaitAnswered(50).stop().assertKept(PATIENT);
    }
  }

  @Test
  void clusterWithPasswordIsServed() {
    try (RedisCluster cluster =
            RedisCluster.builder().primaries(2).replicasEach(0).password("secret").start();
        RedisStore store = RedisStores.ready(as("redis-cluster://" + cluster.addresses(), ""));
        StoreLoad load = load(store, plenty("password"))) {
      load.awaitAnswered(50).stop().assertKept(PATIENT);
      assertThat(load.unanswered()).isZero();
    }
  }
}
