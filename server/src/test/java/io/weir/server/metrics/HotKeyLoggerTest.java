package io.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.engine.Engine;
import io.weir.observe.HotKeySketch;
import io.weir.rule.Accuracy;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.Scope;
import io.weir.rules.RuleDocuments;
import io.weir.server.config.ServerConfig;
import io.weir.server.fixture.TestServer;
import io.weir.testkit.LogCapture;
import io.weir.testkit.lease.LendingStore;
import io.weir.time.VirtualTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Log lines on hot keys. */
class HotKeyLoggerTest {
  private static final String SECRET = "203.0.113.77";

  @TempDir Path folder;

  private final VirtualTime time = new VirtualTime();
  private int instances = 1;
  private Set<String> pinned = Set.of("another");
  private boolean spreads = true;
  private boolean shadow;
  private final LogCapture log = LogCapture.of(HotKeyLogger.class);

  @AfterEach
  void stop() {
    log.close();
  }

  private static Rule.Builder rule(String limit) {
    return Rule.named("partner").key("ip").limit(Limit.parse(limit)).accuracy(Accuracy.EXACT);
  }

  /** 20,000 calls by one key in a second, and two checks for hot keys. */
  private List<String> saidOf(Rule rule) {
    HotKeyLogger notes = after(20_000, rule);
    notes.logAdvice();
    assertThat(notes.count()).isEqualTo(rule.scope() == Scope.INSTANCE ? 0 : rule.shards());
    return log.messages();
  }

  /** This many calls by one key in a second, and the logger after them. */
  private HotKeyLogger after(int calls, Rule rule) {
    HotKeyLogger notes = new HotKeyLogger(keysAfter(calls, rule), advisor());
    notes.logAdvice();
    return notes;
  }

  private HotKeySketch keysAfter(int calls, Rule rule) {
    Engine engine =
        Engine.builder()
            .rules(RuleSet.of(rule))
            .time(time)
            .store(new LendingStore(time::wallMicros))
            .build();
    for (int i = 0; i < calls; i++) {
      engine.check(Call.of("GET", "/").with("ip", SECRET));
      time.advanceMicros(1_000_000 / calls);
    }
    return engine.nearStore().orElseThrow().hotKeys();
  }

  private HotKeyAdvisor advisor() {
    HotKeyAdvisor.Layout layout = new HotKeyAdvisor.Layout(spreads, pinned, false);
    return new HotKeyAdvisor(() -> instances, layout, rule -> shadow);
  }

  private HotKeyAdvice advice(Rule rule) {
    return advisor().on(keysAfter(20_000, rule).top(1).get(0)).orElseThrow();
  }

  @Test
  void aKeyWithFewCallsIsNotHot() {
    assertThat(after(200, rule("1000000/s").build()).count()).isZero();
    assertThat(log.messages()).isEmpty();
  }

  @Test
  void suggestsShardsOncePerRuleWithoutTheKey() {
    List<String> lines = saidOf(rule("1000000/s").build());

    assertThat(lines).hasSize(1);
    assertThat(lines.get(0))
        .startsWith("rule partner: one key causes about ")
        .endsWith(
            " store calls/s on this instance; accuracy: 1% would answer most of its calls from memory;"
                + " where it must be exact, shards: 8 would spread them over the"
                + " store's nodes")
        .doesNotContain(SECRET);
  }

  @Test
  void givesNoAdviceOnAFloodRefusedFromMemory() {
    assertThat(saidOf(rule("100/s").build())).isEmpty();
    assertThat(saidOf(rule("leaky-bucket 100/s").build())).isEmpty();
  }

  @Test
  void suggestsMoreShardsForAShardedRule() {
    assertThat(saidOf(rule("1000000/s").shards(2).build()).get(0))
        .endsWith("exact, shards: 4 instead of 2 would spread them over the store's nodes");
  }

  @Test
  void suggestsFewerShardsForASmallLimit() {
    assertThat(saidOf(rule("1000000/s burst=500").build()).get(0))
        .endsWith("exact, shards: 4 would spread them over the store's nodes");
  }

  @Test
  void suggestsAnotherRedisIfShardsWouldBeTooSmall() {
    assertThat(saidOf(rule("1000000/s burst=199").build()).get(0))
        .endsWith("where it must be exact, store.hot would give the rule a Redis of its own");
  }

  @Test
  void suggestsNoShardsOnASingleRedis() {
    spreads = false;

    assertThat(saidOf(rule("1000000/s").build()).get(0))
        .doesNotContain("shards", "nodes")
        .endsWith("where it must be exact, store.hot would give the rule a Redis of its own");
  }

  @Test
  void suggestsNoShardsIfTheRulesOwnRedisIsSingle() {
    pinned = Set.of("partner");

    assertThat(saidOf(rule("1000000/s").build()).get(0))
        .endsWith(" on this instance; accuracy: 1% would answer most of its calls from memory");
  }

  @Test
  void suggestsNoRedisForARuleInShadowMode() {
    shadow = true;
    spreads = false;

    assertThat(saidOf(rule("1000000/s").mode(Mode.SHADOW).build()).get(0))
        .endsWith(" on this instance; accuracy: 1% would answer most of its calls from memory");
    assertThat(after(20_000, rule("leaky-bucket 1000000/s").mode(Mode.SHADOW).build()).count())
        .isEqualTo(1);
    assertThat(log.messages()).hasSize(1);
  }

  @Test
  void suggestsNoOtherRedisIfTheRuleHasOne() {
    pinned = Set.of("partner");

    assertThat(saidOf(rule("1000000/s burst=199").build()).get(0))
        .endsWith(" on this instance; accuracy: 1% would answer most of its calls from memory");
  }

  @Test
  void givesNoAdviceIfNothingIsLeftToImprove() {
    pinned = Set.of("partner");

    assertThat(saidOf(rule("leaky-bucket 1000000/s").build())).isEmpty();
  }

  @Test
  void everySuggestedChangeIsValidInItsPlace() throws Exception {
    for (Rule rule :
        List.of(
            rule("1000000/s").build(),
            rule("1000000/s").shards(2).build(),
            rule("1000000/s burst=150").build(),
            rule("5000/s burst=10").accuracy(Accuracy.DEFAULT).build(),
            rule("leaky-bucket 1000000/s").build())) {
      for (HotKeyAdvice.SuggestedChange change : advice(rule).changes()) {
        assertThat(change.effect()).contains(" would ");
        if (change.section() != HotKeyAdvice.ConfigSection.STORE) {
          boolean inLimit = change.section() == HotKeyAdvice.ConfigSection.LIMIT;
          String limit = "limit: { rate: 1000000/s" + (inLimit ? ", " : " }, ") + change.line();
          String document = "{ id: partner, key: [ip], " + limit + (inLimit ? " } }" : " }");
          assertThat(RuleDocuments.parse("rules.yaml", TestServer.document(document)).errors())
              .isEmpty();
        } else {
          String store = "store: { redis: { uri: redis://a }, " + change.line() + " }";
          Path file = Files.writeString(folder.resolve("weir.yaml"), store);
          ServerConfig config = ServerConfig.read(Optional.of(file), Map.of());
          assertThat(config.shared().hot().orElseThrow().rules()).containsExactly("partner");
        }
      }
    }
  }

  @Test
  void suggestsAnotherRedisIfTheLimitCannotBeSharded() {
    assertThat(saidOf(rule("leaky-bucket 1000000/s").build()).get(0))
        .endsWith("store.hot would give the rule a Redis of its own");
  }

  @Test
  void suggestsALargerBurstIfLeasesAreTooSmall() {
    assertThat(saidOf(rule("5000/s burst=10").accuracy(Accuracy.DEFAULT).build()).get(0))
        .contains("; burst: 1000 for its limit of 5000/s burst=10 would allow larger leases")
        .contains(", but admit up to 1000 calls at once instead of 10")
        .endsWith("; store.hot would give the rule a Redis of its own");
  }

  @Test
  void extrapolatesStoreCallsToTheWholeFleet() {
    instances = 20;

    assertThat(after(400, rule("1000000/s").build()).count()).isZero();

    assertThat(log.messages()).hasSize(1);
    assertThat(log.messages().get(0))
        .contains(" on all 20 instances if they receive equal traffic; accuracy: 1% would ");
  }

  @Test
  void givesNoAdviceOnKeysAnsweredFromMemory() {
    assertThat(saidOf(rule("1000000/s").accuracy(Accuracy.DEFAULT).build())).isEmpty();
    assertThat(saidOf(rule("1000000/s").scope(Scope.INSTANCE).build())).isEmpty();
  }
}
