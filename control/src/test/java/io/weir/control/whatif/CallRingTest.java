package io.weir.control.whatif;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class CallRingTest {
  private static final RecordingSettings SMALL = new RecordingSettings(1000, 1 << 20);

  @Test
  void recordsEveryCallWhileThereIsRoom() {
    RecordedTraffic traffic = new RecordedTraffic().users(20, 6, Duration.ofMinutes(2));

    assertThat(traffic.ring.level()).isZero();
    assertThat(traffic.recording().size()).isEqualTo(240);
    assertThat(traffic.recording().callers()).isEqualTo(20);
    assertThat(traffic.recording().completeSince()).isEqualTo(Recording.ALWAYS);
  }

  @Test
  void halvesTheCallersUntilItSpansTenMinutes() {
    RecordedTraffic traffic = new RecordedTraffic(SMALL).users(1000, 1, Duration.ofMinutes(40));
    Recording recording = traffic.recording();

    // 10,000 calls in ten minutes are sixteen times too many, give or take a level.
    assertThat(recording.level()).isBetween(3, 4);
    long first = recording.calls().get(0).at();
    long last = recording.calls().get(recording.size() - 1).at();
    assertThat(last - first).isGreaterThanOrEqualTo(9 * CallRing.SPAN_MICROS / 10);
    Map<Long, Integer> calls = new HashMap<>();
    recording.calls().forEach(call -> calls.merge(call.caller(), 1, Integer::sum));
    int most = calls.values().stream().max(Integer::compare).orElseThrow();
    assertThat(calls.values()).allMatch(count -> count >= most - 1);
  }

  @Test
  void allInstancesSampleTheSameCallers() {
    RecordedTraffic busy = new RecordedTraffic(SMALL).users(1000, 1, Duration.ofMinutes(20));
    RecordedTraffic calm = new RecordedTraffic(SMALL).users(1000, 1, Duration.ofMinutes(1));
    int level = busy.ring.level();

    assertThat(level).isGreaterThan(calm.ring.level());
    assertThat(callers(calm.recording().atLevel(level))).isEqualTo(callers(busy.recording()));
  }

  private static Set<Long> callers(Recording recording) {
    return recording.calls().stream().map(RecordedCall::caller).collect(Collectors.toSet());
  }

  @Test
  void keepsAFewBusyCallersAndASpanBelowTenMinutes() {
    RecordedTraffic traffic = new RecordedTraffic(SMALL).users(40, 600, Duration.ofMinutes(1));
    Recording recording = traffic.recording();

    assertThat(recording.callers()).isGreaterThanOrEqualTo(CallRing.FEWEST_CALLERS);
    assertThat(recording.completeSince()).isGreaterThan(Recording.ALWAYS);
    assertThat(recording.calls().get(0).at()).isGreaterThanOrEqualTo(recording.completeSince());
  }

  @Test
  void growsBackWhenTrafficFalls() {
    RecordedTraffic traffic = new RecordedTraffic(SMALL).users(1000, 1, Duration.ofMinutes(20));
    int level = traffic.ring.level();
    // One call of each caller in eight minutes.
    users(traffic, 1000, Duration.ofMinutes(8), 3);

    assertThat(traffic.ring.level()).isLessThan(level);
    Recording recording = traffic.recording();
    assertThat(recording.callers()).isGreaterThan(100);
  }

  private static void users(RecordedTraffic traffic, int users, Duration each, int rounds) {
    for (int i = 0; i < users * rounds; i++) {
      traffic.call(RecordedTraffic.byUser("u" + i % users));
      traffic.time.advanceMicros(each.toNanos() / 1000 / users);
    }
  }

  @Test
  void aLargerSampleIsHandedOutOnlyOnceItIsTenMinutesOld() {
    RecordedTraffic traffic = new RecordedTraffic(SMALL).users(1000, 1, Duration.ofMinutes(20));
    int level = traffic.ring.level();
    for (int i = 0; i < 10_000 && traffic.ring.level() == level; i++) {
      traffic.call(RecordedTraffic.byUser("u" + i % 1000));
      traffic.time.advance(Duration.ofSeconds(1));
    }
    assertThat(traffic.ring.level()).isEqualTo(level - 1);
    long grown = traffic.time.wallMicros();

    assertThat(traffic.recording().level()).isEqualTo(level);
    traffic.time.advance(Duration.ofMinutes(11));
    traffic.call(RecordedTraffic.byUser("u0"));

    assertThat(traffic.recording().level()).isEqualTo(level - 1);
    assertThat(traffic.recording().calls()).allMatch(call -> call.at() >= grown - 10_000_000);
  }

  @Test
  void theCallerIsTheFirstOfUserKeyTenantAndAddress() {
    Call call = Call.of("GET", "/").with("session", "s").with("ip", "192.0.2.7");

    assertThat(CallEncoder.callerOf(Call.of("GET", "/"))).isEmpty();
    assertThat(CallEncoder.callerOf(Call.of("GET", "/").with("session", "s"))).isEqualTo("s");
    assertThat(CallEncoder.callerOf(call)).isEqualTo("192.0.2.7");
    assertThat(CallEncoder.callerOf(call.with("tenant", "acme"))).isEqualTo("acme");
    assertThat(CallEncoder.callerOf(call.with("tenant", "acme").with("api_key", "k")))
        .isEqualTo("k");
    assertThat(CallEncoder.callerOf(call.with("api_key", "k").with("user", "u"))).isEqualTo("u");
  }

  @Test
  void holdsNoReadableValue() {
    RecordedTraffic traffic = new RecordedTraffic();
    traffic.call(
        Call.of("POST", "/accounts/alice-account/cards")
            .host("alice-host.example.com")
            .with("user", "alice-user")
            .with("ip", "192.0.2.77")
            .with("tenant", "alice-tenant")
            .with("bypass", "alice-token"));
    String bytes =
        new String(
            RecordingCodec.encode(traffic.recording(), 1 << 20), StandardCharsets.ISO_8859_1);

    assertThat(bytes).contains("POST").contains("tenant").doesNotContain("bypass");
    assertThat(bytes).doesNotContain("alice").doesNotContain("192.0.2").doesNotContain("example");
  }

  @Test
  void countsCallsThatCannotBeRecorded() {
    RecordedTraffic traffic = new RecordedTraffic();
    traffic.call(Call.of("GET", "/a".repeat(300)).with("user", "u"));
    for (int i = 0; i < 5000; i++) {
      traffic.call(Call.of("GET", "/").with("x" + i, "1"));
    }

    assertThat(traffic.recording().size()).isEqualTo(4096);
    assertThat(traffic.recording().skipped()).isEqualTo(905);
  }

  @Property(tries = 60)
  void staysWithinItsBounds(
      @ForAll @IntRange(min = 100, max = 3000) int calls,
      @ForAll @IntRange(min = 1, max = 400) int callers,
      @ForAll long seed) {
    RecordingSettings settings = new RecordingSettings(calls, 1 << 17);
    RecordedTraffic traffic = new RecordedTraffic(settings);
    Random random = new Random(seed);
    int attributes = random.nextInt(40);
    for (int i = 0; i < 8000; i++) {
      Call call = RecordedTraffic.byUser("u" + random.nextInt(callers));
      for (int a = 0; a < attributes % 7; a++) {
        call = call.with("a" + a, Integer.toString(random.nextInt()));
      }
      traffic.call(call);
      traffic.time.advanceMicros(random.nextInt(i % 3 == 0 ? 2_000_000 : 2000));

      assertThat(traffic.ring.size()).isBetween(1, calls);
      assertThat(traffic.ring.bytes()).isBetween(1L, 1L << 17);
    }
    Recording recording = traffic.recording();
    assertThat(recording.calls()).allMatch(call -> call.isSampled(recording.level()));
    assertThat(IntStream.range(1, recording.size()))
        .allMatch(i -> recording.calls().get(i - 1).at() <= recording.calls().get(i).at());
  }
}
