package io.weir.redis.script;

import static io.weir.redis.fixture.RedisStores.PATIENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Limit;
import io.weir.redis.RedisStore;
import io.weir.redis.fixture.RedisFixture;
import io.weir.redis.fixture.RedisStores;
import io.weir.redis.link.Ring;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.testkit.contract.ContractCalls;
import io.weir.testkit.process.RedisServer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A log in Redis has entries with an amount only, however many tokens were given back. */
class LogStateTest {
  private static final int ROUNDS = 50;

  /** A total, and one entry. */
  private static final long ONE_ENTRY = 16 + 16;

  private static final Pool POOL = pool("log", "sliding-log 10/day");

  private static List<RedisServer> ring;
  private static RedisStore store;
  private static ContractCalls calls;

  @BeforeAll
  static void start() {
    ring = List.of(RedisServer.start(), RedisServer.start());
    store = RedisStores.ready(RedisFixture.ringOf(ring), PATIENT);
    calls = new ContractCalls(store);
  }

  @AfterAll
  static void stop() {
    store.close();
    ring.forEach(RedisServer::close);
  }

  private static Pool pool(String rule, String limit) {
    return new Pool(rule, rule, "1", Limit.parse(limit), false).withDimension("user");
  }

  private static byte[] name(Pool pool, Key key) {
    return new KeyNames(new byte[0]).bucket(pool, key);
  }

  private static long bytes(Key key) {
    String name = new String(name(POOL, key), StandardCharsets.US_ASCII);
    return ring.stream().mapToLong(node -> (Long) node.command("STRLEN", name)).sum();
  }

  @Test
  void settlementAtZeroLeavesNoEntry() {
    Key key = Key.of("settles");
    calls.take(POOL, key, 1);
    for (long id = 1; id <= ROUNDS; id++) {
      List<ReservedPart> parts = calls.reserve(id, List.of(ContractCalls.draw(POOL, key, 2)));
      assertThat(calls.settle(id, parts, 0)).isTrue();
    }
    assertThat(bytes(key)).isEqualTo(ONE_ENTRY);
    assertThat(calls.take(POOL, key, 1).remaining()).isEqualTo(8);
  }

  @Test
  void refundLeavesNoEntry() {
    Key key = Key.of("refunds");
    calls.take(POOL, key, 1);
    for (int i = 0; i < ROUNDS; i++) {
      calls.take(POOL, key, 1);
      calls.take(POOL, key, 1);
      ContractCalls.get(store.refund(POOL, key, 2));
    }
    assertThat(bytes(key)).isEqualTo(ONE_ENTRY);
  }

  @Test
  void callRefusedByAnotherNodeLeavesNoEntry() {
    Key key = Key.of("refused");
    calls.take(POOL, key, 1);
    Draw elsewhere = refusedElsewhereThan(key);
    for (int i = 0; i < ROUNDS; i++) {
      assertThat(calls.take(ContractCalls.draw(POOL, key, 1), elsewhere).taken()).isFalse();
    }
    calls.take(POOL, key, 1); // after the last give-back
    assertThat(bytes(key)).isEqualTo(ONE_ENTRY + 16);
  }

  private static Draw refusedElsewhereThan(Key key) {
    Ring nodes = new Ring(ring.stream().map(node -> node.host() + ":" + node.port()).toList());
    Pool never = pool("never", "0/s");
    return Stream.iterate(0, n -> n + 1)
        .map(n -> Key.of("unused-" + n))
        .filter(other -> nodes.nodeOf(name(never, other)) != nodes.nodeOf(name(POOL, key)))
        .map(other -> ContractCalls.draw(never, other, 1))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void fullyReturnedLogIsDeleted() {
    Key key = Key.of("all");
    calls.settle(1000, calls.reserve(1000, List.of(ContractCalls.draw(POOL, key, 2))), 0);
    assertThat(bytes(key)).isZero();
  }

  @Test
  void cappedDebtWritesNoMoreEntries() {
    Key key = Key.of("owes");
    long most = (1L << 53) - 1;
    for (long id = 2001; id <= 2003; id++) {
      List<ReservedPart> parts =
          List.of(calls.reserve(2000, List.of(ContractCalls.draw(POOL, key, 0))).get(0));
      calls.settle(id, parts, most);
    }
    assertThat(bytes(key)).isEqualTo(ONE_ENTRY);
  }
}
