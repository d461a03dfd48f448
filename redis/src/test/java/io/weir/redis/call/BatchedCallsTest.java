package io.weir.redis.call;

import static io.weir.redis.fixture.RedisStores.PATIENT;
import static io.weir.redis.fixture.RedisStores.one;
import static io.weir.redis.fixture.RedisStores.plenty;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Key;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.redis.RedisStore;
import io.weir.redis.fixture.RedisStores;
import io.weir.redis.fixture.SharedCluster;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.Pool;
import io.weir.store.TakeResult;
import io.weir.testkit.contract.ContractCalls;
import io.weir.testkit.process.RedisCluster;
import io.weir.testkit.process.RedisServer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The number of script calls: one per call and slot, and fewer if calls can share one. */
class BatchedCallsTest {
  private static RedisServer redis;
  private static RedisStore store;

  @BeforeAll
  static void start() {
    redis = RedisServer.start();
    store = RedisStores.ready(redis.uri(), PATIENT);
  }

  @AfterAll
  static void stop() {
    store.close();
    redis.close();
  }

  @Test
  void singleCallIsOneScriptCallWhateverTheNumberOfRules() {
    for (int rules : new int[] {1, 3, 10, 64, 300}) {
      List<Draw> draws =
          IntStream.range(0, rules)
              .mapToObj(i -> one(plenty("alone-" + rules + "-" + i), "user"))
              .toList();
      long before = redis.scriptCalls();
      TakeResult result = ContractCalls.get(store.take(draws));
      assertThat(redis.scriptCalls() - before).isEqualTo(1);
      assertThat(result.taken()).isTrue();
      assertThat(result.statuses())
          .hasSize(rules)
          .allSatisfy(status -> assertThat(status.remaining()).isEqualTo(RedisStores.PLENTY - 1));
    }
  }

  @Test
  void tenThousandRulesAreDecidedInOneCallAllOrNone() {
    List<Draw> draws = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      draws.add(one(plenty("very-many-" + i), "user"));
    }
    long before = redis.scriptCalls();
    TakeResult result = ContractCalls.get(store.take(draws));
    assertThat(redis.scriptCalls() - before).isEqualTo(1);
    assertThat(result.taken()).isTrue();
    assertThat(result.statuses()).hasSize(10_000);
    assertThat(result.statuses())
        .extracting(LimitStatus::remaining)
        .containsOnly(RedisStores.PLENTY - 1);

    Pool small = new Pool("smaller", "smaller", "1", Limit.parse("1/day"), false);
    draws.add(9_000, new Draw(small, Key.of("user"), 2, Mode.ENFORCE, Intent.TAKE));
    TakeResult refused = ContractCalls.get(store.take(draws));
    assertThat(refused.taken()).isFalse();
    assertThat(refused.statuses().stream().filter(status -> !status.allowed()))
        .extracting(LimitStatus::rule)
        .containsExactly("smaller");
    assertThat(RedisStores.taken(store, plenty("very-many-9999"), "user")).isEqualTo(1);
  }

  @Test
  void tooManyDrawsAreRejectedBeforeSending() {
    List<Draw> draws = Collections.nCopies(65_536, one(plenty("too-many"), "user"));
    assertThatThrownBy(() -> store.take(draws))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at most 65535");
  }

  @Test
  void oneRefusalAmongThreeHundredRulesTakesNothing() {
    List<Draw> draws = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      draws.add(one(plenty("many-" + i), "user"));
    }
    Pool small = new Pool("small", "small", "1", Limit.parse("fixed-window 1/day"), false);
    draws.add(280, new Draw(small, Key.of("user"), 2, Mode.ENFORCE, Intent.TAKE));
    TakeResult result = ContractCalls.get(store.take(draws));
    assertThat(result.taken()).isFalse();
    assertThat(result.statuses().stream().filter(status -> !status.allowed()))
        .extracting(LimitStatus::rule)
        .containsExactly("small");
    assertThat(RedisStores.taken(store, plenty("many-299"), "user")).isZero();
  }

  @Test
  void concurrentCallsShareBatchesAndGetTheirOwnReplies() {
    int callers = 2000;
    Pool pool = plenty("together");
    long before = redis.scriptCalls();
    List<CompletionStage<TakeResult>> answers = new ArrayList<>();
    for (int i = 0; i < callers; i++) {
      Draw draw = new Draw(pool, Key.of("user-" + i), i, Mode.ENFORCE, Intent.TAKE);
      answers.add(store.take(List.of(draw)));
    }
    for (int i = 0; i < callers; i++) {
      LimitStatus status = ContractCalls.get(answers.get(i)).statuses().get(0);
      assertThat(status.answered()).isTrue();
      assertThat(status.remaining()).isEqualTo(RedisStores.PLENTY - i);
    }
    long calls = redis.scriptCalls() - before;
    System.out.printf("%,d draws of callers who came together in %,d calls%n", callers, calls);
    assertThat(calls).isLessThan(callers / 4);
  }

  @Test
  void callsToTheSameKeyAreCountedOneByOneAndWrittenOnce() {
    Pool pool = new Pool("same", "same", "1", Limit.parse("100/day"), false);
    List<CompletionStage<TakeResult>> answers = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      // Now and then another key, or a look.
      Intent intent = i % 50 == 30 ? Intent.LOOK : Intent.TAKE;
      String user = i % 50 == 40 ? "another" : "user";
      answers.add(store.take(List.of(new Draw(pool, Key.of(user), 1, Mode.ENFORCE, intent))));
    }
    List<LimitStatus> limitStatuses =
        answers.stream().map(answer -> ContractCalls.get(answer).statuses().get(0)).toList();
    List<LimitStatus> takers =
        IntStream.range(0, 200)
            .filter(i -> i % 50 != 30 && i % 50 != 40)
            .mapToObj(limitStatuses::get)
            .toList();
    assertThat(takers.stream().filter(LimitStatus::allowed))
        .extracting(LimitStatus::remaining)
        .containsExactlyInAnyOrderElementsOf(
            LongStream.iterate(99, left -> left - 1).limit(100).boxed().toList());
    assertThat(RedisStores.PLENTY - RedisStores.taken(store, pool, "user")).isZero();
    assertThat(RedisStores.PLENTY - RedisStores.taken(store, pool, "another")).isEqualTo(96);
  }

  @Test
  void clusterGetsOneCallPerSlotAllAtOnce() {
    RedisCluster cluster = SharedCluster.get();
    try (RedisStore clustered =
        RedisStores.ready("redis-cluster://" + cluster.addresses(), PATIENT)) {
      List<Draw> draws = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        // Four users, three rules about each.
        draws.add(one(plenty("rule-" + i % 3).withDimension("user"), "user-" + i / 3));
      }
      long before = cluster.primaries().stream().mapToLong(RedisServer::scriptCalls).sum();
      assertThat(ContractCalls.get(clustered.take(draws)).taken()).isTrue();
      assertThat(cluster.primaries().stream().mapToLong(RedisServer::scriptCalls).sum() - before)
          .isEqualTo(4);
    }
  }

  @Test
  void readyClusterHasAConnectionToEveryNode() {
    RedisCluster cluster = SharedCluster.get();
    try (RedisStore clustered =
        RedisStores.ready("redis-cluster://" + cluster.addresses(), PATIENT)) {
      long before = connections(cluster);
      for (int i = 0; i < 30; i++) {
        ContractCalls.get(clustered.take(List.of(one(plenty("first-calls"), "user-" + i))));
      }
      assertThat(connections(cluster)).as("connections made by first calls").isEqualTo(before);
    }
  }

  /** Connections that scripts are sent on, without those for the topology. */
  private static long connections(RedisCluster cluster) {
    return cluster.primaries().stream()
        .flatMap(node -> node.text("CLIENT", "LIST").lines())
        .filter(line -> line.contains("cmd=eval"))
        .count();
  }
}
