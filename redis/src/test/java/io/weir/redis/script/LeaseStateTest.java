package io.weir.redis.script;

import static io.weir.redis.fixture.RedisStores.PATIENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.redis.RedisStore;
import io.weir.redis.fixture.RedisStores;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.LeaseGrant;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.TakeResult;
import io.weir.testkit.contract.ContractCalls;
import io.weir.testkit.process.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The cost of leases in Redis: space only while tokens are lent, and separate replies. */
class LeaseStateTest {
  private static final long PLAIN = 24;
  private static final long LENT = 48;

  private RedisServer redis;
  private RedisStore store;

  @BeforeEach
  void start() {
    redis = RedisServer.start();
    store = RedisStores.ready(redis.uri(), PATIENT);
  }

  @AfterEach
  void stop() {
    store.close();
    redis.close();
  }

  private static Pool pool(String limit) {
    return new Pool("rule", "rule", "1", Limit.parse(limit), false);
  }

  private static LeaseReport asking(long asked) {
    return new LeaseReport(1000, LeaseGrant.NONE, 0, 0, asked, 0);
  }

  private static Draw draw(Pool pool, String key, long amount) {
    return new Draw(pool, Key.of(key), amount, Mode.ENFORCE, Intent.TAKE);
  }

  private TakeResult take(Draw draw) {
    return ContractCalls.get(store.take(List.of(draw)));
  }

  private String onlyKey() {
    List<?> keys = (List<?>) redis.command("KEYS", "*");
    assertThat(keys).hasSize(1);
    return (String) keys.get(0);
  }

  private long size() {
    return (Long) redis.command("STRLEN", onlyKey());
  }

  private long life() {
    return (Long) redis.command("PTTL", onlyKey());
  }

  @Test
  void bucketWithoutLeasesIsNoLarger() {
    Pool pool = pool("100/min");
    take(draw(pool, "user", 1));
    assertThat(size()).isEqualTo(PLAIN);
    take(draw(pool, "user", 1).withLease(LeaseReport.NONE.withDebt(3)));
    assertThat(size()).isEqualTo(PLAIN);
  }

  @Test
  void keyOutlivesItsLeasesAndShrinksWhenTheyAreReturned() {
    Pool pool = pool("1000/s");
    LeaseGrant lent = take(draw(pool, "user", 1).withLease(asking(10))).grants().get(0);
    assertThat(lent.lent()).isEqualTo(10);
    assertThat(size()).isEqualTo(LENT);
    assertThat(life()).isGreaterThan(9_000);

    take(draw(pool, "user", 1));
    assertThat(size()).as("after a plain draw").isEqualTo(LENT);
    assertThat(life()).isGreaterThan(9_000);

    LeaseReport last = new LeaseReport(1000, lent, 0, 10, 0, 0);
    ContractCalls.get(store.endLease(pool, Key.of("user"), last));
    assertThat(size()).isEqualTo(PLAIN);
    assertThat(life()).isPositive();
  }

  @Test
  void batchedCallsGetTheirOwnLeaseGrants() {
    Pool pool = pool("100000/h");
    int callers = 500;
    List<CompletionStage<TakeResult>> answers = new ArrayList<>();
    for (int i = 0; i < callers; i++) {
      Draw plain = draw(pool, "user-" + i, 1);
      answers.add(store.take(List.of(i % 3 == 0 ? plain : plain.withLease(asking(i)))));
    }
    for (int i = 0; i < callers; i++) {
      TakeResult result = ContractCalls.get(answers.get(i));
      long lent = i % 3 == 0 ? 0 : i;
      assertThat(result.grants()).hasSize(i % 3 == 0 ? 0 : 1);
      assertThat(result.grants().stream().mapToLong(LeaseGrant::lent).sum()).isEqualTo(lent);
      assertThat(result.statuses().get(0).remaining()).isEqualTo(100_000 - 1 - lent);
    }
  }
}
