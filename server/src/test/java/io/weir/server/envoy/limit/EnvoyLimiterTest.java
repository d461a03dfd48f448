package io.weir.server.envoy.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.LoadResult;
import io.weir.rules.envoy.EnvoyDomains;
import io.weir.rules.envoy.EnvoyFolder;
import io.weir.rules.envoy.EnvoyOptions;
import io.weir.rules.envoy.EnvoyUnit;
import io.weir.server.envoy.limit.EnvoyDecision.Outcome;
import io.weir.server.envoy.limit.EnvoyLimiter.Modes;
import io.weir.store.memory.MemoryStore;
import io.weir.time.VirtualTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Draws and decisions of requests, on virtual time and a memory store. */
class EnvoyLimiterTest {
  private static final String FILE =
      """
      domain: d
      descriptors:
        - { key: a, rate_limit: { unit: minute, requests_per_unit: 10, name: ten } }
        - { key: b, rate_limit: { unit: hour, requests_per_unit: 1 } }
        - { key: tried, shadow_mode: true, rate_limit: { unit: hour, requests_per_unit: 1 } }
        - { key: q1, quota_mode: true, rate_limit: { unit: hour, requests_per_unit: 1 } }
        - { key: q2, quota_mode: true, rate_limit: { unit: hour, requests_per_unit: 2 } }
        - { key: free, rate_limit: { unlimited: true } }
        - key: instead
          rate_limit: { unit: hour, requests_per_unit: 3, replaces: [{ name: ten }, { name: no }] }
        - key: freeInstead
          rate_limit: { unlimited: true, replaces: [{ name: ten }] }
        - { key: blocked, rate_limit: { unit: hour, requests_per_unit: 0 } }
        - { key: leaky, rate_limit: { unit: second, requests_per_unit: 2, algorithm: leaky-bucket } }
        - key: bucket
          rate_limit: { unit: second, requests_per_unit: 1, algorithm: token-bucket, burst: 3 }
        - { key: tokens, rate_limit: { unit: hour, requests_per_unit: 100, count_denied: true } }
        - { key: monthly, rate_limit: { unit: month, requests_per_unit: 5, algorithm: quota } }
        - { key: any, rate_limit: { unit: minute, requests_per_unit: 5, unit_multiplier: 7 } }
      """;

  @TempDir private Path folder;
  private final VirtualTime time = new VirtualTime();
  private final MemoryStore store = MemoryStore.builder().time(time).build();

  private EnvoyConfig config(String text, EnvoyOptions options) {
    try {
      Path file = Files.writeString(folder.resolve("d.yaml"), text);
      LoadResult<EnvoyDomains> loaded = EnvoyFolder.load(file, options);
      assertThat(loaded.problems()).isEmpty();
      return EnvoyConfig.of(loaded.value().orElseThrow().domains(), options.keyPrefix());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private EnvoyLimiter limiter(Modes modes) {
    return new EnvoyLimiter(store, time, modes, config(FILE, EnvoyOptions.DEFAULT));
  }

  private final class DomainRequests {
    private final EnvoyLimiter limiter;

    DomainRequests(Modes modes) {
      this.limiter = limiter(modes);
    }

    EnvoyDecision ask(EnvoyRequest.Descriptor... descriptors) {
      return limiter
          .decide(new EnvoyRequest("d", List.of(descriptors)))
          .toCompletableFuture()
          .join();
    }

    Outcome outcome(EnvoyRequest.Descriptor... descriptors) {
      return ask(descriptors).outcome();
    }

    /** The remaining hits; takes none. */
    long left(String entry) {
      return counted(ask(Descriptors.hits(0, entry)), 0).remaining();
    }
  }

  private static DescriptorResult.Counted counted(EnvoyDecision decision, int i) {
    return (DescriptorResult.Counted) decision.statuses().get(i);
  }

  @Test
  void countsWithinWindowsOnTheClock() {
    DomainRequests d = new DomainRequests(Modes.PLAIN);
    time.advance(Duration.ofMillis(17_300));
    EnvoyDecision first = d.ask(Descriptors.descriptor("a=1"));

    assertThat(first.outcome()).isEqualTo(Outcome.OK);
    DescriptorResult.Counted status = counted(first, 0);
    assertThat(status.limit().name()).isEqualTo("ten");
    assertThat(status.remaining()).isEqualTo(9);
    assertThat(status.resetSeconds()).isEqualTo(43);

    EnvoyDecision over = d.ask(Descriptors.hits(10, "a=1"));
    assertThat(over.outcome()).isEqualTo(Outcome.OVER_LIMIT);
    assertThat(counted(over, 0).over()).isTrue();
    assertThat(counted(over, 0).remaining()).isEqualTo(9);

    time.advance(Duration.ofMillis(42_700));
    assertThat(d.left("a=1")).isEqualTo(10);
    assertThat(counted(d.ask(Descriptors.hits(0, "a=1")), 0).resetSeconds()).isEqualTo(60);
  }

  @Test
  void deniedRequestsTakeNothing() {
    DomainRequests d = new DomainRequests(Modes.PLAIN);
    assertThat(d.outcome(Descriptors.descriptor("a=1"), Descriptors.descriptor("b=1")))
        .isEqualTo(Outcome.OK);
    for (int i = 0; i < 20; i++) {
      EnvoyDecision refused = d.ask(Descriptors.descriptor("a=1"), Descriptors.descriptor("b=1"));
      assertThat(refused.outcome()).isEqualTo(Outcome.OVER_LIMIT);
      assertThat(counted(refused, 0).over()).isFalse();
      assertThat(counted(refused, 1).over()).isTrue();
      assertThat(refused.tightest()).contains(counted(refused, 1));
    }
    assertThat(d.left("a=1")).isEqualTo(9);
  }

  @Test
  void addsUpDescriptorsWithTheSameKey() {
    DomainRequests d = new DomainRequests(Modes.PLAIN);
    EnvoyDecision twice =
        d.ask(Descriptors.hits(3, "a=1"), Descriptors.hits(4, "a=1"), Descriptors.hits(0, "a=1"));
    assertThat(twice.outcome()).isEqualTo(Outcome.OK);
    assertThat(twice.statuses()).hasSize(3);
    assertThat(d.left("a=1")).isEqualTo(3);
    assertThat(d.outcome(Descriptors.hits(2, "a=1"), Descriptors.hits(2, "a=1")))
        .isEqualTo(Outcome.OVER_LIMIT);
    assertThat(
            d.outcome(
                Descriptors.hits(Long.MAX_VALUE, "a=1"), Descriptors.hits(Long.MAX_VALUE, "a=1")))
        .isEqualTo(Outcome.OVER_LIMIT);
    assertThat(d.left("a=1")).isEqualTo(3);
  }

  @Test
  void shadowLimitsAreCountedAndNeverOver() {
    DomainRequests d = new DomainRequests(Modes.PLAIN);
    d.ask(Descriptors.descriptor("tried=1"));
    EnvoyDecision second = d.ask(Descriptors.descriptor("tried=1"));
    assertThat(second.outcome()).isEqualTo(Outcome.OK);
    assertThat(counted(second, 0).over()).isFalse();
    assertThat(counted(second, 0).admitted()).isFalse();
  }

  @Test
  void quotaLimitsRefuseOnlyTogetherAndThenTakeNothing() {
    DomainRequests d = new DomainRequests(Modes.PLAIN);
    EnvoyRequest.Descriptor[] all = {
      Descriptors.descriptor("a=1"), Descriptors.descriptor("q1=1"), Descriptors.descriptor("q2=1")
    };
    assertThat(d.outcome(all)).isEqualTo(Outcome.OK);
    EnvoyDecision second = d.ask(all);
    assertThat(second.outcome()).isEqualTo(Outcome.OK);
    assertThat(counted(second, 1).over()).isTrue();
    assertThat(counted(second, 2).over()).isFalse();
    assertThat(d.outcome(all)).isEqualTo(Outcome.OVER_LIMIT);
    assertThat(d.left("a=1")).isEqualTo(8);
    assertThat(d.outcome(Descriptors.descriptor("q1=1"))).isEqualTo(Outcome.OVER_LIMIT);
    assertThat(d.outcome(Descriptors.descriptor("q1=1"), Descriptors.descriptor("a=1")))
        .isEqualTo(Outcome.OVER_LIMIT);
    assertThat(d.outcome(Descriptors.descriptor("q1=1"), Descriptors.descriptor("unmatched=1")))
        .isEqualTo(Outcome.OVER_LIMIT);
    assertThat(d.left("a=1")).isEqualTo(8);
  }

  @Test
  void aLimitThatIsOverBesideQuotasRefusesAndTakesNothing() {
    DomainRequests d = new DomainRequests(Modes.PLAIN);
    d.ask(Descriptors.descriptor("b=1"));
    assertThat(
            d.outcome(
                Descriptors.descriptor("b=1"),
                Descriptors.descriptor("q1=1"),
                Descriptors.descriptor("q2=1")))
        .isEqualTo(Outcome.OVER_LIMIT);
    assertThat(d.left("q1=1")).isEqualTo(1);
    assertThat(d.left("q2=1")).isEqualTo(2);
  }

  @Test
  void globalQuotaModeTreatsEveryLimitAsQuotaAndUnmatchedAsAllowed() {
    DomainRequests d = new DomainRequests(new Modes(false, true));
    d.ask(Descriptors.descriptor("b=1"));
    assertThat(d.outcome(Descriptors.descriptor("b=1"))).isEqualTo(Outcome.OVER_LIMIT);
    assertThat(d.outcome(Descriptors.descriptor("b=1"), Descriptors.descriptor("a=1")))
        .isEqualTo(Outcome.OK);
    assertThat(d.outcome(Descriptors.descriptor("b=1"), Descriptors.descriptor("unmatched=1")))
        .isEqualTo(Outcome.OK);
    assertThat(d.outcome(Descriptors.descriptor("b=1"), Descriptors.descriptor("blocked=1")))
        .isEqualTo(Outcome.OVER_LIMIT);
  }

  @Test
  void globalShadowModeChangesOnlyTheOverallCode() {
    DomainRequests d = new DomainRequests(new Modes(true, false));
    d.ask(Descriptors.descriptor("b=1"));
    EnvoyDecision second = d.ask(Descriptors.descriptor("b=1"), Descriptors.descriptor("a=1"));
    assertThat(second.outcome()).isEqualTo(Outcome.OK);
    assertThat(counted(second, 0).over()).isTrue();
    assertThat(d.left("a=1")).isEqualTo(9);
  }

  @Test
  void skipsLimitsThatAnotherDescriptorReplaces() {
    DomainRequests d = new DomainRequests(Modes.PLAIN);
    EnvoyDecision replaced =
        d.ask(Descriptors.descriptor("a=1"), Descriptors.descriptor("instead=1"));
    assertThat(replaced.statuses().get(0)).isInstanceOf(DescriptorResult.Unmatched.class);
    assertThat(counted(replaced, 1).remaining()).isEqualTo(2);
    EnvoyDecision free =
        d.ask(Descriptors.descriptor("freeInstead=1"), Descriptors.descriptor("a=1"));
    assertThat(free.statuses().get(0)).isInstanceOf(DescriptorResult.Unlimited.class);
    assertThat(free.statuses().get(1)).isInstanceOf(DescriptorResult.Unmatched.class);
    assertThat(d.left("a=1")).isEqualTo(10);
  }

  @Test
  void unlimitedAndUnknownAreAllowed() {
    DomainRequests d = new DomainRequests(Modes.PLAIN);
    EnvoyDecision free =
        d.ask(Descriptors.descriptor("free=1"), Descriptors.descriptor("nothing=1"));
    assertThat(free.outcome()).isEqualTo(Outcome.OK);
    assertThat(free.statuses().get(0)).isInstanceOf(DescriptorResult.Unlimited.class);
    assertThat(free.statuses().get(1)).isInstanceOf(DescriptorResult.Unmatched.class);
    assertThat(free.tightest()).isEmpty();

    EnvoyDecision unknown =
        d.limiter
            .decide(new EnvoyRequest("other", List.of(Descriptors.own(0, EnvoyUnit.DAY, "a=1"))))
            .toCompletableFuture()
            .join();
    assertThat(unknown.outcome()).isEqualTo(Outcome.UNKNOWN_DOMAIN);
    assertThat(unknown.allowed()).isTrue();
    assertThat(unknown.statuses()).containsExactly(new DescriptorResult.Unmatched());
  }

  @Test
  void zeroRefusesAndReportsTheEndOfTheWindow() {
    DomainRequests d = new DomainRequests(Modes.PLAIN);
    time.advance(Duration.ofMinutes(40));
    EnvoyDecision blocked = d.ask(Descriptors.descriptor("blocked=1"));
    assertThat(blocked.outcome()).isEqualTo(Outcome.OVER_LIMIT);
    assertThat(counted(blocked, 0).resetSeconds()).isEqualTo(20 * 60);
    assertThat(d.outcome(Descriptors.hits(0, "blocked=1"))).isEqualTo(Outcome.OVER_LIMIT);
  }

  @Test
  void reportsTheEndOfAnUnusedCalendarPeriod() {
    DomainRequests d = new DomainRequests(Modes.PLAIN);
    time.advance(Duration.ofDays(10));
    assertThat(counted(d.ask(Descriptors.hits(0, "monthly=1")), 0).resetSeconds())
        .isEqualTo(Duration.ofDays(21).toSeconds());
    assertThat(counted(d.ask(Descriptors.descriptor("monthly=1")), 0).resetSeconds())
        .isEqualTo(Duration.ofDays(21).toSeconds());
    time.advance(Duration.ofDays(21)); // February
    assertThat(counted(d.ask(Descriptors.hits(0, "monthly=1")), 0).resetSeconds())
        .isEqualTo(Duration.ofDays(28).toSeconds());
  }

  @Test
  void ownLimitsSkipTheFileAndKeepTheirCountWhenNumbersChange() {
    DomainRequests d = new DomainRequests(Modes.PLAIN);
    assertThat(d.outcome(Descriptors.own(2, EnvoyUnit.WEEK, "free=1"))).isEqualTo(Outcome.OK);
    assertThat(d.outcome(Descriptors.own(2, EnvoyUnit.WEEK, "free=1"))).isEqualTo(Outcome.OK);
    assertThat(d.outcome(Descriptors.own(2, EnvoyUnit.WEEK, "free=1")))
        .isEqualTo(Outcome.OVER_LIMIT);
    assertThat(d.outcome(Descriptors.own(3, EnvoyUnit.WEEK, "free=1"))).isEqualTo(Outcome.OK);
    assertThat(d.outcome(Descriptors.own(2, EnvoyUnit.WEEK, "free=2"))).isEqualTo(Outcome.OK);
    assertThat(
            d.outcome(
                Descriptors.own(9, EnvoyUnit.WEEK, "x=1"),
                Descriptors.own(1, EnvoyUnit.WEEK, "x=1")))
        .isEqualTo(Outcome.OVER_LIMIT);
  }

  @Test
  void otherAlgorithmsAndWindowsWorkToo() {
    DomainRequests d = new DomainRequests(Modes.PLAIN);
    assertThat(d.outcome(Descriptors.descriptor("leaky=1"))).isEqualTo(Outcome.OK);
    EnvoyDecision mustWait = d.ask(Descriptors.descriptor("leaky=1"));
    assertThat(mustWait.outcome()).isEqualTo(Outcome.OVER_LIMIT);
    assertThat(counted(mustWait, 0).resetSeconds()).isEqualTo(1);
    time.advance(Duration.ofMillis(500));
    assertThat(d.outcome(Descriptors.descriptor("leaky=1"))).isEqualTo(Outcome.OK);

    assertThat(d.outcome(Descriptors.hits(3, "bucket=1"))).isEqualTo(Outcome.OK);
    EnvoyDecision empty = d.ask(Descriptors.hits(2, "bucket=1"));
    assertThat(empty.outcome()).isEqualTo(Outcome.OVER_LIMIT);
    assertThat(counted(empty, 0).resetSeconds()).isEqualTo(2);

    assertThat(d.outcome(Descriptors.hits(5, "any=1"))).isEqualTo(Outcome.OK);
    assertThat(d.outcome(Descriptors.descriptor("any=1"))).isEqualTo(Outcome.OVER_LIMIT);
    time.advance(Duration.ofMinutes(7));
    assertThat(d.outcome(Descriptors.descriptor("any=1"))).isEqualTo(Outcome.OK);
  }

  @Test
  void countsRefusedHitsIfTheFileSaysSo() {
    DomainRequests d = new DomainRequests(Modes.PLAIN);
    assertThat(d.outcome(Descriptors.hits(0, "tokens=1"))).isEqualTo(Outcome.OK);
    d.ask(Descriptors.hits(70, "tokens=1"));
    assertThat(d.outcome(Descriptors.hits(0, "tokens=1"))).isEqualTo(Outcome.OK);
    d.ask(Descriptors.hits(70, "tokens=1"));
    assertThat(d.outcome(Descriptors.hits(0, "tokens=1"), Descriptors.descriptor("a=1")))
        .isEqualTo(Outcome.OVER_LIMIT);
    assertThat(d.left("a=1")).isEqualTo(10);
    time.advance(Duration.ofHours(1));
    assertThat(d.outcome(Descriptors.hits(0, "tokens=1"))).isEqualTo(Outcome.OK);
  }

  @Test
  void changedNumbersKeepTheCount() {
    DomainRequests d = new DomainRequests(Modes.PLAIN);
    d.ask(Descriptors.hits(6, "a=1"));
    d.limiter.config(config(FILE.replace("per_unit: 10,", "per_unit: 8,"), EnvoyOptions.DEFAULT));
    assertThat(d.left("a=1")).isEqualTo(2);
    d.limiter.config(config(FILE, new EnvoyOptions(false, false, "another:deployment:")));
    assertThat(d.left("a=1")).isEqualTo(10);
  }

  @Test
  void leasesByTheAccuracyAndNotWithoutOne() {
    List<CompiledLimit> limits =
        config(
                """
                domain: d
                descriptors:
                  - { key: said, rate_limit: { unit: day, requests_per_unit: 5000, accuracy: 2% } }
                  - { key: exact, rate_limit: { unit: day, requests_per_unit: 5000, accuracy: exact } }
                  - { key: unsaid, rate_limit: { unit: day, requests_per_unit: 5000 } }
                """,
                EnvoyOptions.DEFAULT)
            .limits();
    assertThat(limits).extracting(limit -> limit.pool().leaseCap()).containsExactly(100L, 0L, 0L);
  }

  @Test
  void aKillSwitchAllowsEveryRequestAndCountsOn() {
    AtomicBoolean killed = new AtomicBoolean(true);
    EnvoyConfig config = config(FILE, EnvoyOptions.DEFAULT);
    EnvoyLimiter limiter = new EnvoyLimiter(store, time, Modes.PLAIN, config, killed::get);
    EnvoyRequest request = new EnvoyRequest("d", List.of(Descriptors.descriptor("b=1")));
    for (int i = 0; i < 3; i++) {
      assertThat(limiter.decide(request).toCompletableFuture().join().outcome())
          .isEqualTo(Outcome.OK);
    }
    killed.set(false);
    assertThat(limiter.decide(request).toCompletableFuture().join().outcome())
        .isEqualTo(Outcome.OVER_LIMIT);
  }
}
