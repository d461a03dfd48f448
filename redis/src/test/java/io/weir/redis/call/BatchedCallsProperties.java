package io.weir.redis.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.LimitStatus;
import io.weir.redis.RedisStore;
import io.weir.redis.RedisStoreFactory;
import io.weir.redis.call.CallWaves.Bucket;
import io.weir.redis.script.KeyNames;
import io.weir.redis.script.Script;
import io.weir.redis.script.ScriptArguments;
import io.weir.store.Draw;
import io.weir.store.LeaseGrant;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import io.weir.testkit.contract.ContractCalls;
import io.weir.testkit.lease.LendingStore;
import io.weir.testkit.process.RedisServer;
import io.weir.time.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Batched calls are decided as if they had arrived one by one. */
class BatchedCallsProperties {
  private static final AtomicReference<VirtualTime> TIME = new AtomicReference<>();

  private static RedisServer redis;
  private static BatchingRunner runner;

  @BeforeContainer
  static void start() {
    redis = RedisServer.start();
    runner = new BatchingRunner(redis.uri(), () -> TIME.get().wallMicros());
  }

  @AfterContainer
  static void stop() {
    runner.end();
    redis.close();
    for (Script script : List.of(Script.TAKE_ONE_BUCKET, Script.TAKE_BUCKETS, Script.TAKE)) {
      assertThat(runner.shared(script)).as("shared calls of %s", script).isGreaterThan(5);
    }
  }

  @Provide
  Arbitrary<CallWaves> anyWaves() {
    return CallWaves.any();
  }

  @Property(tries = 25, edgeCases = EdgeCasesMode.NONE)
  void batchedCallsDecideLikeTheReferenceInBatchOrder(@ForAll("anyWaves") CallWaves callWaves) {
    VirtualTime time = new VirtualTime(Instant.EPOCH);
    time.advance(Duration.ofDays(20_454));
    TIME.set(time);
    KeyNames names = new KeyNames(UUID.randomUUID().toString().getBytes(StandardCharsets.UTF_8));
    try (RedisStore store = RedisStoreFactory.on(runner, names, time, Duration.ofSeconds(10))) {
      Store reference = new LendingStore(time::wallMicros);
      Map<Bucket, LeaseGrant> lent = new HashMap<>();
      for (CallWaves.Wave wave : callWaves.waves()) {
        time.advance(Duration.ofNanos(1000 * wave.after()));
        compare(calls(callWaves, wave, lent), store, reference, lent);
      }
    }
  }

  private static List<List<Draw>> calls(
      CallWaves callWaves, CallWaves.Wave wave, Map<Bucket, LeaseGrant> lent) {
    List<List<Draw>> calls = new ArrayList<>();
    for (CallWaves.Visit visit : wave.visits()) {
      for (int i = 0; i < visit.times(); i++) {
        calls.add(visit.draws(callWaves.pools(), of -> lent.getOrDefault(of, LeaseGrant.NONE)));
      }
    }
    return calls;
  }

  private static void compare(
      List<List<Draw>> calls, Store store, Store reference, Map<Bucket, LeaseGrant> lent) {
    List<CompletionStage<TakeResult>> answers = new ArrayList<>();
    runner.hold();
    for (int i = 0; i < calls.size(); i++) {
      answers.add(store.reserve(i, calls.get(i)));
    }
    runner.release();
    answers.forEach(ContractCalls::get);
    List<Integer> order = runner.order();
    assertThat(order).hasSize(calls.size()).doesNotHaveDuplicates();
    for (int i : order) {
      TakeResult expected = ContractCalls.get(reference.reserve(i, calls.get(i)));
      TakeResult actual = ContractCalls.get(answers.get(i));
      List<Draw> draws = calls.get(i);
      assertThat(results(actual, draws))
          .as("call %d of %s: %s", i, order, draws)
          .isEqualTo(results(expected, draws));
      for (int draw = 0; draw < actual.grants().size(); draw++) {
        Draw drawn = draws.get(draw);
        lent.put(new Bucket(drawn.pool(), drawn.key()), actual.grants().get(draw));
      }
    }
  }

  /** The whole result of a call; calls without a lease report get no grant. */
  private static List<Object> results(TakeResult result, List<Draw> draws) {
    List<Object> results = new ArrayList<>();
    results.add(result.taken());
    for (int i = 0; i < draws.size(); i++) {
      LimitStatus status = result.statuses().get(i);
      results.add(
          List.of(
              status.allowed(),
              status.remaining(),
              status.reset(),
              status.retryAfter(),
              status.delay(),
              ScriptArguments.hasLeaseReport(draws.get(i))
                  ? result.grants().get(i)
                  : LeaseGrant.NONE));
    }
    return results;
  }
}
