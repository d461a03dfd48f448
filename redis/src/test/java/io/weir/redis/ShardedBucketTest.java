package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import io.weir.Call;
import io.weir.Decision;
import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.SettlementResult;
import io.weir.Weir;
import io.weir.limit.LimitDivision;
import io.weir.redis.fixture.RedisFixture;
import io.weir.redis.fixture.RedisStores;
import io.weir.redis.fixture.SharedCluster;
import io.weir.redis.script.KeyNames;
import io.weir.rule.Accuracy;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.testkit.contract.ContractCalls;
import io.weir.testkit.process.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A sharded bucket on real Redis processes: a single one, a Cluster, a ring. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("fleet")
class ShardedBucketTest {
  private static final int SHARDS = 8;
  private static final int INSTANCES = 4;
  private static final byte[] SECRET = {1, 2, 3, 4};
  private static final KeyNames NAMES = new KeyNames(new byte[0]);

  private final List<RedisServer> servers = new ArrayList<>();
  private final List<RedisStore> stores = new ArrayList<>();
  private final List<Weir> fleet = new ArrayList<>();
  private final String user = UUID.randomUUID().toString();

  @BeforeAll
  void start() {
    for (int i = 0; i < 3; i++) {
      servers.add(RedisServer.start());
    }
  }

  @AfterAll
  void stop() {
    servers.forEach(RedisServer::close);
  }

  @AfterEach
  void close() {
    fleet.forEach(Weir::close);
    fleet.clear();
    stores.clear();
  }

  List<String> deployments() {
    return List.of(
        servers.get(0).uri(),
        "redis-cluster://" + SharedCluster.get().addresses(),
        RedisFixture.ringOf(servers));
  }

  /** Opens instances with a rule that no other test has. */
  private Rule open(String deployment, String limit, String accuracy) {
    Rule rule =
        Rule.named("r-" + UUID.randomUUID())
            .key("user")
            .limit(Limit.parse(limit))
            .shards(SHARDS)
            .accuracy(Accuracy.of(accuracy))
            .build();
    for (int i = 0; i < INSTANCES; i++) {
      RedisStore store = RedisStores.ready(deployment, RedisStores.PATIENT);
      stores.add(store);
      fleet.add(
          Weir.builder().rules(RuleSet.of(rule)).store(store).reservationSecret(SECRET).build());
    }
    return rule;
  }

  private Call call() {
    return Call.of("GET", "/").with("user", user);
  }

  private static Pool pool(Rule rule, String limit, int shard) {
    return new Pool(rule.id(), rule.id(), "1", Limit.parse(limit), false)
        .withDimension("user")
        .sharded(LimitDivision.of(Limit.parse(limit), SHARDS), part -> 0)
        .shardedPool()
        .shard(shard);
  }

  /** The tokens left in a shard, according to the store. */
  private long left(Rule rule, String limit, int shard) {
    Draw look = new Draw(pool(rule, limit, shard), Key.of(user), 0, Mode.ENFORCE, Draw.Intent.LOOK);
    return ContractCalls.get(stores.get(0).take(List.of(look))).statuses().get(0).remaining();
  }

  private int admittedByAll(int triesEach) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(INSTANCES);
    try {
      List<Callable<Integer>> work = new ArrayList<>();
      for (Weir weir : fleet) {
        work.add(
            () ->
                (int)
                    IntStream.range(0, triesEach)
                        .filter(i -> weir.check(call()).allowed())
                        .count());
      }
      int admitted = 0;
      for (Future<Integer> done : threads.invokeAll(work)) {
        admitted += done.get();
      }
      return admitted;
    } finally {
      threads.shutdown();
    }
  }

  @ParameterizedTest
  @MethodSource("deployments")
  void instancesTogetherAdmitTheWholeLimitAndNoMore(String deployment) throws Exception {
    String limit = "1/h burst=1003";
    Rule rule = open(deployment, limit, "exact");

    assertThat(admittedByAll(700)).isEqualTo(1003);

    for (int i = 0; i < SHARDS; i++) {
      assertThat(left(rule, limit, i)).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource("deployments")
  void instancesWithLeasesAdmitNoMoreThanTheLimit(String deployment) throws Exception {
    open(deployment, "quota 4000/month", "10%");

    int admitted = admittedByAll(3000);

    // All calls that a lease cannot answer go to the shards; tokens leased to other instances are
    // missing.
    assertThat(admitted).isBetween(3600, 4000);
  }

  @ParameterizedTest
  @MethodSource("deployments")
  void everyShardHasTheDocumentedKeyInItsOwnSlot(String deployment) throws Exception {
    String limit = "1/h burst=1000";
    Rule rule = open(deployment, limit, "exact");
    admittedByAll(50);

    List<String> promised = new ArrayList<>();
    for (int i = 0; i < SHARDS; i++) {
      String name = new String(NAMES.bucket(pool(rule, limit, i), Key.of(user)), US_ASCII);
      assertThat(name).matches("weir:1:\\{[-_A-Za-z0-9]{22}}:" + rule.id() + ":t1:" + i);
      promised.add(name);
    }
    assertThat(keysOf(rule)).containsExactlyInAnyOrderElementsOf(promised);
    // Two of eight shards share one of 16,384 slots by chance once in 600 runs.
    assertThat(promised.stream().map(SlotHash::getSlot).distinct().count())
        .isGreaterThanOrEqualTo(SHARDS - 1);
  }

  private List<String> keysOf(Rule rule) {
    List<RedisServer> all = new ArrayList<>(servers);
    all.addAll(SharedCluster.get().primaries());
    List<String> names = new ArrayList<>();
    for (RedisServer server : all) {
      for (Object name : (List<?>) server.command("KEYS", "weir:1:*:" + rule.id() + ":*")) {
        names.add(name instanceof byte[] bytes ? new String(bytes, US_ASCII) : name.toString());
      }
    }
    return names;
  }

  @ParameterizedTest
  @MethodSource("deployments")
  void anyInstanceSettlesAgainstTheShardOfTheTake(String deployment) {
    String limit = "1/h burst=80";
    Rule rule = open(deployment, limit, "exact");
    for (int i = 0; i < 40; i++) {
      Decision reserved = ContractCalls.get(fleet.get(i % INSTANCES).reserveAsync(call().cost(7)));
      assertThat(reserved.allowed()).isTrue();
      String reservation = reserved.reservation().orElseThrow();
      int taken = shortShard(rule, limit, 3);

      assertThat(ContractCalls.get(fleet.get((i + 1) % INSTANCES).settleAsync(reservation, 0)))
          .isEqualTo(SettlementResult.DONE);

      assertThat(left(rule, limit, taken)).isEqualTo(10);
      assertThat(shortShard(rule, limit, 10)).isEqualTo(-1);
    }
  }

  /** The only shard that is not full, which has this much left; −1 if all are full. */
  private int shortShard(Rule rule, String limit, long remaining) {
    int found = -1;
    for (int i = 0; i < SHARDS; i++) {
      long left = left(rule, limit, i);
      if (left < 10) {
        assertThat(found).as("one shard only").isEqualTo(-1);
        assertThat(left).isEqualTo(remaining);
        found = i;
      }
    }
    return found;
  }
}
