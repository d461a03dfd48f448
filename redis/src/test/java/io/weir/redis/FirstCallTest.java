package io.weir.redis;

import static io.weir.redis.fixture.RedisStores.PATIENT;
import static io.weir.redis.fixture.RedisStores.plenty;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.cluster.SlotHash;
import io.weir.Key;
import io.weir.redis.fixture.RedisStores;
import io.weir.redis.fixture.SharedCluster;
import io.weir.redis.script.HealthProbe;
import io.weir.redis.script.KeyNames;
import io.weir.redis.script.Script;
import io.weir.store.Pool;
import io.weir.store.TakeResult;
import io.weir.testkit.contract.ContractCalls;
import io.weir.testkit.process.RedisCluster;
import io.weir.testkit.process.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The first call costs as much as any other: scripts are loaded and compiled before. */
@Tag("process")
class FirstCallTest {
  /** Redis logs every command as slow. */
  private static final String[] LOG_ALL = {"slowlog-log-slower-than 0", "slowlog-max-len 100000"};

  private static final Set<String> DIGESTS =
      Arrays.stream(Script.values()).map(Script::digest).collect(Collectors.toSet());

  /** Commands that callers wait for. */
  private static final Set<String> OF_CALLS =
      DIGESTS.stream()
          .filter(digest -> !digest.equals(HealthProbe.SCRIPT.digest()))
          .collect(Collectors.toSet());

  private final Pool pool = plenty("first").withDimension("user");

  /** The scripts that have been run by digest so far. */
  private static Set<String> wereRun(RedisServer node) {
    return ((List<?>) node.command("SLOWLOG", "GET", "100000"))
        .stream()
            .map(entry -> (List<?>) ((List<?>) entry).get(3))
            .filter(words -> words.get(0).toString().equalsIgnoreCase("EVALSHA"))
            .map(words -> words.get(1).toString())
            .collect(Collectors.toSet());
  }

  private static boolean hasAll(RedisServer node) {
    List<String> words = new ArrayList<>(List.of("SCRIPT", "EXISTS"));
    words.addAll(DIGESTS);
    return ((List<?>) node.command(words.toArray(String[]::new)))
        .stream().allMatch(there -> there.equals(1L));
  }

  private static List<String> scriptCommands(RedisServer node) {
    return node.text("INFO", "commandstats")
        .lines()
        .filter(line -> line.startsWith("cmdstat_eval") || line.startsWith("cmdstat_script"))
        .map(line -> line.replaceAll("cmdstat_([^:]+):calls=(\\d+),.*", "$2 $1"))
        .toList();
  }

  private Key keyIn(Predicate<Integer> slots) {
    KeyNames names = new KeyNames(new byte[0]);
    for (int i = 0; ; i++) {
      Key key = Key.of("user-" + i);
      if (slots.test(SlotHash.getSlot(names.bucket(pool, key)))) {
        return key;
      }
    }
  }

  /** A call with one draw, and one that needs another script. */
  private void assertOneScriptCallEach(RedisStore store, RedisServer node, Key key) {
    Pool window = ContractCalls.pool("window", "sliding-window 10/s").withDimension("user");
    node.command("CONFIG", "RESETSTAT");
    TakeResult first = ContractCalls.get(store.take(List.of(ContractCalls.draw(pool, key, 1))));
    assertThat(scriptCommands(node)).containsExactly("1 evalsha");
    TakeResult second = ContractCalls.get(store.take(List.of(ContractCalls.draw(window, key, 1))));
    assertThat(scriptCommands(node)).containsExactly("2 evalsha");
    assertThat(first.taken() && second.taken()).isTrue();
  }

  @Test
  void everyScriptHasRunBeforeReadyAndIsReloadedAfterRestart() {
    try (RedisServer redis = RedisServer.builder().config(LOG_ALL[0]).config(LOG_ALL[1]).start();
        RedisStore store = RedisStores.ready(redis.uri(), PATIENT)) {
      assertThat(wereRun(redis)).containsAll(OF_CALLS);
      assertOneScriptCallEach(store, redis, Key.of("user"));

      redis.restart();
      await("the scripts").until(() -> hasAll(redis));
      await("service").until(() -> isServed(store, Key.of("user")));
      assertOneScriptCallEach(store, redis, Key.of("user"));
    }
  }

  private boolean isServed(RedisStore store, Key key) {
    return ContractCalls.get(store.take(List.of(ContractCalls.draw(pool, key, 1))))
        .statuses()
        .get(0)
        .answered();
  }

  @Test
  void onClusterEveryScriptHasRunOnPrimariesAndIsLoadedOnReplicas() {
    RedisCluster cluster = SharedCluster.get();
    cluster.nodes().forEach(node -> logAll(node, "0"));
    cluster.nodes().forEach(node -> node.command("SCRIPT", "FLUSH"));
    try (RedisStore store = RedisStores.ready("redis-cluster://" + cluster.addresses(), PATIENT)) {
      for (RedisServer node : cluster.primaries()) {
        assertThat(wereRun(node)).containsAll(OF_CALLS);
        Key key = keyIn(slot -> cluster.primaryOf(slot) == node);
        assertOneScriptCallEach(store, node, key);
      }
      assertThat(cluster.nodes()).allMatch(FirstCallTest::hasAll);
    } finally {
      cluster.nodes().forEach(node -> logAll(node, "10000"));
    }
  }

  private static void logAll(RedisServer node, String micros) {
    node.command("CONFIG", "SET", "slowlog-max-len", "100000");
    node.command("CONFIG", "SET", "slowlog-log-slower-than", micros);
    node.command("SLOWLOG", "RESET");
  }

  @Test
  void newOrReturningClusterNodeHasScriptsBeforeItsFirstCall() {
    try (RedisCluster cluster = RedisCluster.builder().primaries(2).replicasEach(0).start();
        RedisServer late = RedisServer.builder().config("cluster-enabled yes").start();
        RedisStore store = RedisStores.ready("redis-cluster://" + cluster.addresses(), PATIENT)) {
      late.command("CLUSTER", "SET-CONFIG-EPOCH", "99");
      RedisServer from = cluster.primaries().get(0);
      RedisServer other = cluster.primaries().get(1);
      late.command("CLUSTER", "MEET", from.host(), Integer.toString(from.port()));
      await("the scripts").atMost(Duration.ofSeconds(10)).until(() -> hasAll(late));
      Key key = keyIn(slot -> cluster.primaryOf(slot) == from);
      String slot = Integer.toString(SlotHash.getSlot(new KeyNames(new byte[0]).bucket(pool, key)));
      String id = late.text("CLUSTER", "MYID");
      List.of(late, from, other)
          .forEach(node -> node.command("CLUSTER", "SETSLOT", slot, "NODE", id));
      await("the client to know").until(() -> isServed(store, key));
      assertThat(scriptCommands(late)).noneMatch(line -> line.endsWith(" eval"));
      assertOneScriptCallEach(store, late, key);

      from.restart();
      await("the scripts").atMost(Duration.ofSeconds(10)).until(() -> hasAll(from));
      int moved = Integer.parseInt(slot);
      Key back = keyIn(n -> n != moved && cluster.primaryOf(n) == from);
      await("service").atMost(Duration.ofSeconds(10)).until(() -> isServed(store, back));
      assertOneScriptCallEach(store, from, back);
    }
  }
}
