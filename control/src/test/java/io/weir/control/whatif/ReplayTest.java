package io.weir.control.whatif;

import static io.weir.control.whatif.RecordedTraffic.HASH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Call;
import io.weir.Limit;
import io.weir.Quota;
import io.weir.control.whatif.WhatIf.Change;
import io.weir.rule.Cost;
import io.weir.rule.Match;
import io.weir.rule.Rule;
import io.weir.rule.RuleLimits;
import io.weir.rule.RuleSet;
import io.weir.rule.TenantPlan;
import io.weir.time.SystemTime;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReplayTest {
  private static final Duration PLENTY = Duration.ofMinutes(1);

  private static WhatIf replay(Recording recording, RuleSet before, RuleSet after) {
    return new Replay(recording, HASH, before, after).run(SystemTime.INSTANCE, PLENTY, 1, 1);
  }

  private static RuleSet perUser(Limit limit) {
    return RuleSet.of(
        Rule.named("items").match(Match.path("/v1/**")).key("user").limit(limit).build());
  }

  /** Users with 10, 20, … 100 calls a minute, for five minutes. */
  private static Recording mixedUsers() {
    RecordedTraffic traffic = new RecordedTraffic();
    for (int second = 0; second < 300; second++) {
      for (int user = 0; user < 100; user++) {
        int perMinute = 10 + user / 10 * 10;
        if (second * perMinute / 60 != (second + 1) * perMinute / 60) {
          traffic.call(RecordedTraffic.byUser("u" + user));
          if (perMinute > 60 && second % 2 == 0) {
            traffic.call(RecordedTraffic.byUser("u" + user));
          }
        }
      }
      traffic.time.advance(Duration.ofSeconds(1));
    }
    return traffic.recording();
  }

  @Test
  void equalRulesChangeNothing() {
    WhatIf same = replay(mixedUsers(), perUser(Limit.perMinute(30)), perUser(Limit.perMinute(30)));

    assertThat(same.total().refused()).isEqualTo(new Change(0, 0));
    assertThat(same.total().admitted()).isEqualTo(new Change(0, 0));
    assertThat(same.rules()).isEmpty();
    assertThat(same.refusedKeys()).isZero();
    assertThat(same.peaks()).isEmpty();
    assertThat(same.basis().callers()).isEqualTo(100);
  }

  @Test
  void aLoweredLimitRefusesTheKeysAboveIt() {
    WhatIf outcome =
        replay(mixedUsers(), perUser(Limit.perMinute(600)), perUser(Limit.perMinute(25)));

    assertThat(outcome.rules()).hasSize(1);
    WhatIf.Effect items = outcome.rules().get(0).effect();
    assertThat(items.keys()).isEqualTo(100);
    assertThat(items.refused().keys()).isEqualTo(80);
    assertThat(items.admitted()).isEqualTo(new Change(0, 0));
    assertThat(outcome.refusedKeys()).isEqualTo(0.8);
    assertThat(outcome.total().refused()).isEqualTo(items.refused());
    assertThat(outcome.routes()).extracting(WhatIf.Group::name).containsExactly("/v1/**");
  }

  @Test
  void aRaiseIsNoHarmAndATypoIs() {
    RuleSet before = perUser(Limit.perMinute(60));
    WhatIf raised = replay(mixedUsers(), before, perUser(Limit.perMinute(66)));
    WhatIf typo = replay(mixedUsers(), before, perUser(Limit.perMinute(6)));

    assertThat(raised.total().refused()).isEqualTo(new Change(0, 0));
    assertThat(raised.total().admitted().calls()).isPositive();
    assertThat(typo.refusedKeys()).isGreaterThan(0.95);
    assertThat(typo.peaks()).hasSize(1);
    assertThat(typo.peaks().values()).allMatch(share -> share > 0.9);
  }

  @Test
  void rulesMatchRecordedCallsAsTheyMatchedTheOriginals() {
    RecordedTraffic traffic = new RecordedTraffic();
    for (int i = 0; i < 20; i++) {
      traffic
          .call(Call.of("POST", "/pay/" + i).host("a.eu.example.com").with("user", "u"))
          .call(Call.of("GET", "/pay/" + i).host("a.eu.example.com").with("user", "u"))
          .call(Call.of("POST", "/pay/" + i).host("b.example.org").with("user", "u"))
          .call(Call.of("POST", "/").with("user", "u").with("plan", "gold"))
          .call(Call.of("POST", "/other").with("user", "u").with("plan", "iron"));
    }
    RuleSet after =
        RuleSet.of(
            Rule.named("pay")
                .match(Match.path("/pay/{id}").andMethod("post").andHost("*.example.com"))
                .key("user")
                .limit(Limit.perMinute(5))
                .build(),
            Rule.named("gold")
                .match(Match.path("/").andAttribute("plan", "gold"))
                .key("user")
                .limit(Limit.perMinute(15))
                .build(),
            Rule.named("each")
                .match(Match.path("/pay/*"))
                .except(Match.ALL.andAbsent("user"))
                .key("path")
                .limit(Limit.perMinute(3))
                .build());

    WhatIf outcome = replay(traffic.recording(), RuleSet.EMPTY, after);

    assertThat(outcome.rules()).extracting(WhatIf.Group::name).containsExactly("gold", "pay");
    assertThat(outcome.rules().get(0).effect().refused()).isEqualTo(new Change(5, 1));
    assertThat(outcome.rules().get(1).effect().refused()).isEqualTo(new Change(15, 1));
    assertThat(outcome.rules().get(1).effect().calls()).isEqualTo(20);
    assertThat(outcome.total().refused().calls()).isEqualTo(20);
  }

  @Test
  void tenantsFindTheirTier() {
    RecordedTraffic traffic = new RecordedTraffic();
    for (int i = 0; i < 50; i++) {
      traffic
          .call(Call.of("GET", "/").with("tenant", "acme"))
          .call(Call.of("GET", "/").with("tenant", "tiny"))
          .call(Call.of("GET", "/").with("tenant", "tiny2"));
    }

    WhatIf outcome = replay(traffic.recording(), tiers(100), tiers(10));

    assertThat(outcome.tiers()).extracting(WhatIf.Group::name).containsExactly("free");
    assertThat(outcome.tiers().get(0).effect().refused()).isEqualTo(new Change(80, 2));
    assertThat(outcome.tiers().get(0).effect().keys()).isEqualTo(2);
  }

  private static RuleSet tiers(int free) {
    return RuleSet.builder()
        .rule(Rule.named("plan").key("tenant").limits(new RuleLimits.OfTier()).build())
        .tenant("*", new TenantPlan("free", List.of(Limit.perMinute(free).named("rate"))))
        .tenant("acme", new TenantPlan("gold", List.of(Limit.perMinute(1000).named("rate"))))
        .build();
  }

  @Test
  void aSharedBucketIsCountedByCaller() {
    Recording recording = new RecordedTraffic().users(10, 6, Duration.ofMinutes(2)).recording();
    RuleSet before = RuleSet.of(Rule.named("all").limit(Limit.perMinute(1000)).build());
    RuleSet after = RuleSet.of(Rule.named("all").limit(Limit.perMinute(7)).build());

    WhatIf.Effect all = replay(recording, before, after).rules().get(0).effect();

    assertThat(all.keys()).isEqualTo(10);
    assertThat(all.refused().keys()).isEqualTo(10);
  }

  @Test
  void aChangedKeyIsCountedByCaller() {
    RecordedTraffic traffic = new RecordedTraffic();
    for (int i = 0; i < 100; i++) {
      traffic.call(RecordedTraffic.byUser("u" + i % 4).with("tenant", "t"));
    }
    RuleSet before = perUser(Limit.perMinute(30));
    RuleSet after =
        RuleSet.of(
            Rule.named("items")
                .match(Match.path("/v1/**"))
                .key("tenant")
                .limit(Limit.perMinute(30))
                .build());

    WhatIf.Effect items = replay(traffic.recording(), before, after).rules().get(0).effect();

    assertThat(items.keys()).isEqualTo(4);
    assertThat(items.refused()).isEqualTo(new Change(70, 4));
  }

  @Test
  void bypassedAndFreeCallsCountOnNeitherSide() {
    RecordedTraffic traffic = new RecordedTraffic();
    for (int i = 0; i < 20; i++) {
      traffic.bypassed(RecordedTraffic.byUser("a")).call(RecordedTraffic.byUser("b").cost(0));
    }
    traffic.call(RecordedTraffic.byUser("c"));

    WhatIf outcome = replay(traffic.recording(), RuleSet.EMPTY, perUser(Limit.perMinute(5)));

    assertThat(outcome.total().calls()).isEqualTo(1);
    assertThat(outcome.total().refused()).isEqualTo(new Change(0, 0));
  }

  @Test
  void costsOfAttributesAreReplayed() {
    RuleSet rules = costs(1000);
    RecordedTraffic traffic = new RecordedTraffic();
    traffic.ring.rules(rules);
    for (int i = 0; i < 10; i++) {
      traffic.call(RecordedTraffic.byUser("u").with("tokens", "90"));
    }
    WhatIf readable = replay(traffic.recording(), rules, costs(100));
    assertThat(readable.total().refused()).isEqualTo(new Change(9, 1));

    RecordedTraffic unknown =
        new RecordedTraffic().call(RecordedTraffic.byUser("u").with("tokens", "90"));
    assertThat(replay(unknown.recording(), RuleSet.EMPTY, costs(10)).notes())
        .anyMatch(note -> note.startsWith("attribute tokens was not recorded"));
  }

  private static RuleSet costs(int perMinute) {
    return RuleSet.of(
        Rule.named("tokens")
            .key("user")
            .cost(new Cost.FromAttribute("tokens", 1, 100))
            .limit(Limit.perMinute(perMinute))
            .build());
  }

  @Test
  void saysWhatTheNumbersDoNotCover() {
    RecordedTraffic traffic =
        new RecordedTraffic(new RecordingSettings(500, 1 << 20))
            .users(300, 6, Duration.ofMinutes(3));
    RuleSet after =
        RuleSet.of(
            Rule.named("day").key("user").limit(Limit.quota(100, Quota.Period.DAY)).build(),
            Rule.named("all").limit(Limit.perSecond(5)).build());

    assertThat(replay(traffic.recording(), RuleSet.EMPTY, after).notes())
        .containsExactly(
            "rule day: its period is longer than the recording, whose start counts as unused",
            "rule all: callers share its keys, and the recording holds only some callers");
  }

  @Test
  void stopsAtTheTimeLimit() {
    Recording recording = new RecordedTraffic().users(10, 600, Duration.ofMinutes(1)).recording();
    VirtualTime stopped = new VirtualTime();
    Replay replay = new Replay(recording, HASH, RuleSet.EMPTY, perUser(Limit.perMinute(5)));

    assertThat(replay.progress()).isZero();
    WhatIf outcome = replay.run(stopped, Duration.ZERO, 1, 3);

    assertThat(outcome.basis().complete()).isFalse();
    assertThat(outcome.basis().asked()).isEqualTo(3);
    assertThat(replay.progress()).isLessThan(1);
  }

  @Test
  void nothingRecordedPredictsNothing() {
    WhatIf outcome = replay(Recording.EMPTY, RuleSet.EMPTY, perUser(Limit.perMinute(1)));

    assertThat(outcome.refusedKeys()).isZero();
    assertThat(outcome.basis().calls()).isZero();
    assertThat(outcome.basis().complete()).isTrue();
  }

  @Test
  void jsonReadsBack() {
    WhatIf outcome = replay(mixedUsers(), tiers(100), perUser(Limit.perMinute(25)));
    String json = WhatIfCodec.write(outcome);

    assertThat(WhatIfCodec.read(json)).isEqualTo(outcome);
    assertThat(json).contains("\"newly_refused\":{\"calls\":").contains("\"refused_keys\":0.8");
    WhatIf nothing = WhatIf.nothingRecorded(1, 2);
    assertThat(WhatIfCodec.read(WhatIfCodec.write(nothing))).isEqualTo(nothing);
  }

  @Test
  void otherJsonIsRefused() {
    for (String text :
        List.of("", "[]", "{\"rules\":1}", "{\"from\":\"x\"}", "{\"calls\":\"x\"}")) {
      assertThatThrownBy(() -> WhatIfCodec.read(text)).isInstanceOf(IllegalArgumentException.class);
    }
  }
}
