package io.weir.redis.fault;

import static io.weir.redis.fixture.RedisStores.PATIENT;
import static io.weir.redis.fixture.RedisStores.one;
import static io.weir.redis.fixture.RedisStores.plenty;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.OnFail;
import io.weir.near.NearStore;
import io.weir.redis.RedisStore;
import io.weir.redis.fixture.RedisFixture;
import io.weir.redis.fixture.RedisStores;
import io.weir.redis.fixture.StoreLoad;
import io.weir.redis.link.Ring;
import io.weir.redis.script.KeyNames;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.Pool;
import io.weir.store.TakeResult;
import io.weir.store.memory.MemoryStore;
import io.weir.testkit.contract.ContractCalls;
import io.weir.testkit.process.RedisServer;
import io.weir.time.SystemTime;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A ring of three real nodes, one of which is unavailable. */
@Tag("process")
class RingFaultsTest {
  private static List<RedisServer> servers;
  private static RedisStore store;

  @BeforeAll
  static void start() {
    servers = Stream.generate(RedisServer::start).limit(3).toList();
    store = RedisStores.ready(RedisFixture.ringOf(servers), PATIENT);
  }

  @AfterAll
  static void stop() {
    store.close();
    servers.forEach(RedisServer::close);
  }

  /** A key on this node. */
  private static String keyOn(Pool pool, int node) {
    Ring ring =
        new Ring(servers.stream().map(server -> server.host() + ":" + server.port()).toList());
    KeyNames names = new KeyNames(new byte[0]);
    for (int i = 0; ; i++) {
      if (ring.nodeOf(names.bucket(pool, Key.of("key-" + i))) == node) {
        return "key-" + i;
      }
    }
  }

  @Test
  void everyKeyLivesOnItsNode() {
    Pool pool = plenty("homes");
    for (int node = 0; node < 3; node++) {
      String key = keyOn(pool, node);
      ContractCalls.get(store.take(List.of(one(pool, key))));
      String name =
          new String(
              new KeyNames(new byte[0]).bucket(pool, Key.of(key)),
              java.nio.charset.StandardCharsets.US_ASCII);
      for (int other = 0; other < 3; other++) {
        assertThat(servers.get(other).command("EXISTS", name)).isEqualTo(other == node ? 1L : 0L);
      }
    }
  }

  @Test
  void deadNodeAffectsItsOwnKeysOnlyAndRecovers() {
    Pool pool = plenty("dead");
    List<String> keys = Stream.of(0, 1, 2).map(node -> keyOn(pool, node)).toList();
    try (StoreLoad first = StoreLoad.on(store, n -> List.of(one(pool, keys.get(0))));
        StoreLoad hit = StoreLoad.on(store, n -> List.of(one(pool, keys.get(1))));
        StoreLoad third = StoreLoad.on(store, n -> List.of(one(pool, keys.get(2))))) {
      hit.awaitAnswered(20);
      servers.get(1).kill();
      hit.awaitUnanswered(200);
      first.awaitAnswered(50);
      third.awaitAnswered(50);
      servers.get(1).restart();
      hit.awaitAnswered(50);
      for (StoreLoad load : List.of(first, hit, third)) {
        load.stop().assertKept(PATIENT);
      }
      assertThat(first.unanswered() + third.unanswered()).isZero();
    }
  }

  @Test
  void callThatNeedsADeadNodeReportsTheAnsweredDraws() {
    Pool pool = plenty("partly");
    Pool small = new Pool("small", "small", "1", Limit.parse("1/h"), false);
    Draw healthy = one(pool, keyOn(pool, 0));
    Draw refusing = new Draw(small, Key.of(keyOn(small, 0)), 2, Mode.ENFORCE, Intent.TAKE);
    Draw dead = one(pool, keyOn(pool, 2));
    servers.get(2).kill();
    try (StoreLoad load = StoreLoad.on(store, n -> List.of(dead))) {
      load.awaitUnanswered(20).stop();

      TakeResult result = ContractCalls.get(store.take(List.of(healthy, dead)));
      assertThat(result.taken()).isFalse();
      assertThat(result.statuses()).extracting(LimitStatus::answered).containsExactly(true, false);
      assertThat(RedisStores.taken(store, pool, keyOn(pool, 0)))
          .as("stays taken until the near store before this store decides the call")
          .isEqualTo(1);

      TakeResult refused = ContractCalls.get(store.take(List.of(refusing, dead)));
      assertThat(refused.taken()).isFalse();
      assertThat(refused.statuses()).extracting(LimitStatus::answered).containsExactly(true, false);
      assertThat(refused.statuses().get(0).allowed()).isFalse();

      assertThat(ContractCalls.get(store.describe(List.of(healthy, dead))).get(1))
          .isEqualTo("the store did not answer");
    } finally {
      servers.get(2).restart();
    }
    awaitAnswered(dead);
  }

  private static void awaitAnswered(Draw draw) {
    try (StoreLoad load = StoreLoad.on(store, n -> List.of(draw))) {
      load.awaitAnswered(20).stop();
    }
  }

  @Test
  void callRefusedByAClosedRuleOnADeadNodeTakesNothingElsewhere() {
    Pool pool = plenty("spared");
    Pool closed = plenty("closed").onFail(OnFail.CLOSED);
    Draw healthy = one(pool, keyOn(pool, 0));
    Draw dead = one(closed, keyOn(closed, 2));
    NearStore nearStore =
        NearStore.before(
            store,
            MemoryStore.builder().build(),
            SystemTime.INSTANCE,
            () -> 1,
            error -> {
              throw new AssertionError(error);
            });
    servers.get(2).kill();
    try (StoreLoad load = StoreLoad.on(store, n -> List.of(dead))) {
      load.awaitUnanswered(20).stop();

      TakeResult refused = ContractCalls.get(nearStore.take(List.of(healthy, dead)));
      assertThat(refused.taken()).isFalse();
      assertThat(refused.at(0)).isEmpty();
      assertThat(refused.at(1)).hasValueSatisfying(at -> assertThat(at.answered()).isFalse());
      assertThat((List<?>) servers.get(0).command("KEYS", "*:spared:*")).isEmpty();
      assertThat((List<?>) servers.get(0).command("KEYS", "*:settled:*")).isEmpty();
    } finally {
      servers.get(2).restart();
    }
    awaitAnswered(dead);
    assertThat(ContractCalls.get(nearStore.take(List.of(healthy, dead))).taken()).isTrue();
  }
}
