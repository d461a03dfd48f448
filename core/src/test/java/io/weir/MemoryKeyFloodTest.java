package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.engine.Engine;
import io.weir.guard.NewKeyCap;
import io.weir.rule.Match;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.memory.MemoryStore;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Floods of invented keys under one rule, in a memory store of 50,000 keys. */
class MemoryKeyFloodTest extends WeirFixture {
  private static final int MAX_KEYS = 50_000;
  private static final int SECONDS = 14;
  private static final int CALLS_A_SECOND = 10_000;

  private final MemoryStore store = MemoryStore.builder().maxKeys(MAX_KEYS).time(time).build();
  private final RuleSet rules =
      RuleSet.of(
          Rule.named("sessions")
              .match(Match.path("/app/**"))
              .key("header.x-session")
              .limit(Limit.perHour(5))
              .build(),
          Rule.named("addresses")
              .match(Match.path("/login"))
              .key("ip")
              .limit(Limit.perHour(1))
              .build());
  private Engine engine;

  @BeforeEach
  void build() {
    engine = Engine.builder().rules(rules).time(time).store(store).build();
  }

  private static Call session(String address, int invented) {
    return get("/app/home").with("ip", address).with("header.x-session", "invented-" + invented);
  }

  private static Call login(String prefix, int number) {
    return get("/login").with("ip", prefix + number);
  }

  /** Sends calls with a new key each. */
  private void flood(int addresses) {
    for (int second = 0; second < SECONDS; second++) {
      for (int i = 0; i < CALLS_A_SECOND; i++) {
        engine.check(session("2001:db8::" + i % addresses, second * CALLS_A_SECOND + i));
      }
      time.advance(Duration.ofSeconds(1));
    }
  }

  private int logins(String prefix, int count) {
    return (int)
        IntStream.range(0, count).filter(i -> engine.check(login(prefix, i)).allowed()).count();
  }

  @Test
  void addressThatInventsKeysDoesNotFillTheTable() {
    flood(1);

    assertThat(logins("a", 3000)).isEqualTo(3000);
    assertThat(logins("b", 1500)).isEqualTo(1500);
    assertThat(logins("a", 3000)).as("each has its own bucket").isZero();
    assertThat(store.keys()).isLessThan(NewKeyCap.DEFAULT_MOST + 64 + 4500 + 1);
    assertThat(engine.newKeyCap().cappedDraws()).isGreaterThan(100_000);
  }

  @Test
  void floodOfOneRuleLeavesOtherRulesTheirShare() {
    flood(CALLS_A_SECOND);

    assertThat(logins("a", 3000)).isEqualTo(3000);
    assertThat(logins("b", 1500)).isEqualTo(1500);
    assertThat(logins("a", 3000)).as("each has its own bucket").isZero();
    assertThat(store.keys()).isBetween(40_000L, MAX_KEYS + 1024L);
    assertThat(store.overflowed()).isGreaterThan(90_000);
  }

  @Test
  void keyFromBeforeTheFloodKeepsItsBucket() {
    Call honest = get("/app/home").with("ip", "192.0.2.1").with("header.x-session", "honest");
    assertThat(admitted(engine, honest, 9)).isEqualTo(5);

    flood(1);
    time.advance(Duration.ofSeconds(60 - SECONDS));

    assertThat(admitted(engine, honest, 9)).as("neither dropped nor shared").isZero();
    Call other = honest.with("header.x-session", "another");
    assertThat(admitted(engine, other, 9)).as("another address").isEqualTo(5);
    Call later = session("2001:db8::0", -1);
    assertThat(admitted(engine, later, 9)).as("a new minute").isEqualTo(5);
  }

  @Test
  void reservationFromSharedBucketIsSettledThere() {
    Engine capped = capped(10, Limit.perHour(5));
    Call beyond = session("192.0.2.1", 10).cost(5);

    Decision reserved = now(capped.reserveAsync(beyond));

    assertThat(reserved.allowed()).isTrue();
    assertThat(capped.check(beyond.cost(1)).allowed()).as("the same bucket").isFalse();
    assertThat(now(capped.settleAsync(reserved.reservation().orElseThrow(), 0)))
        .isEqualTo(SettlementResult.DONE);
    assertThat(capped.check(beyond).allowed()).as("given back").isTrue();
    assertThat(now(capped.lookAsync(beyond)).statuses().get(0).remaining()).isZero();
    assertThat(capped.newKeyCap().cappedDraws()).isEqualTo(4);
  }

  @Test
  void permitsOfASharedBucketAreReleased() {
    Engine capped = capped(10, Limit.concurrency(1));
    Call beyond = session("192.0.2.1", 10);

    Decision held = now(capped.checkAndHoldAsync(beyond));

    assertThat(held.allowed()).isTrue();
    assertThat(now(capped.checkAndHoldAsync(beyond)).allowed()).isFalse();
    assertThat(now(capped.releaseAsync(held.reservation().orElseThrow())))
        .isEqualTo(SettlementResult.DONE);
    assertThat(now(capped.checkAndHoldAsync(beyond)).allowed()).isTrue();
  }

  /** An engine on which an address has reached its cap on new keys for this minute. */
  private Engine capped(int most, Limit limit) {
    Engine capped =
        Engine.builder()
            .rules(RuleSet.of(Rule.named("sessions").key("header.x-session").limit(limit).build()))
            .time(time)
            .store(MemoryStore.builder().maxKeys(1000).time(time).build())
            .newKeysPerAddress(most)
            .build();
    for (int i = 0; i < most; i++) {
      assertThat(now(capped.checkAndHoldAsync(session("192.0.2.1", i))).allowed()).isTrue();
    }
    return capped;
  }
}
