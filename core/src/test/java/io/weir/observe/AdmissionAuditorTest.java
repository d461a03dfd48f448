package io.weir.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.OnFail;
import io.weir.Quota;
import io.weir.Ratio;
import io.weir.limit.TakeReceipt;
import io.weir.near.NearStore;
import io.weir.near.ScriptedStore;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import io.weir.store.memory.MemoryStore;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class AdmissionAuditorTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final VirtualTime time = new VirtualTime();
  private final MemoryStore memory = MemoryStore.builder().time(time).build();
  private final ScriptedStore scripted = new ScriptedStore();
  private int instances = 1;
  private AdmissionAuditor auditor = auditor(memory);

  private AdmissionAuditor auditor(Store store) {
    return new AdmissionAuditor(store, time, () -> instances, 1);
  }

  /** Audits a near store whose shared store is unavailable. */
  private void storeIsUnavailable() {
    auditor = auditor(NearStore.before(scripted, memory, time, () -> instances, error -> {}));
  }

  private static Pool pool(Limit limit) {
    return new Pool("rule", "rule", "1", limit, false);
  }

  private static Draw draw(Pool pool, String user) {
    return new Draw(pool, Key.of(user), 1, Mode.ENFORCE, Draw.Intent.TAKE);
  }

  private boolean call(Pool pool) {
    var stage = auditor.take(List.of(draw(pool, "somebody"))).toCompletableFuture();
    while (!scripted.calls.isEmpty()) {
      scripted.next().ignore();
    }
    return stage.join().taken();
  }

  /** Makes calls evenly over this time; returns how many were admitted. */
  private int calls(Pool pool, int number, Duration over) {
    int passed = 0;
    for (int i = 0; i < number; i++) {
      passed += call(pool) ? 1 : 0;
      time.advance(over.dividedBy(number));
    }
    return passed;
  }

  private double overAdmission() {
    return auditor.results().get("rule").overAdmission();
  }

  private double estimateError() {
    return auditor.results().get("rule").estimateError();
  }

  @Test
  void availableStoreAdmitsNoMoreThanTheLimit() {
    Pool pool = pool(Limit.perSecond(10));

    int passed = calls(pool, 1000, Duration.ofSeconds(10).minusMillis(1));

    assertThat(passed).isBetween(105, 110);
    assertThat(overAdmission()).isBetween(0.95, 1.0);
  }

  @Test
  void openRuleOverAdmitsDuringAnOutage() {
    storeIsUnavailable();
    Pool pool = pool(Limit.perSecond(10)).onFail(OnFail.OPEN, Ratio.ONE);

    assertThat(calls(pool, 1000, Duration.ofSeconds(9))).isEqualTo(1000);

    // Allowed are 10 at once and 10 in each of 10 seconds.
    assertThat(overAdmission()).isCloseTo(1000 / 110.0, within(0.01));
  }

  @Test
  void localRuleAdmitsItsShareDuringAnOutage() {
    storeIsUnavailable();
    instances = 2;
    Pool pool = pool(Limit.perSecond(10)).onFail(OnFail.LOCAL, Ratio.ONE);

    calls(pool, 1000, Duration.ofSeconds(9));

    assertThat(overAdmission()).isBetween(0.3, 0.55);
  }

  @Test
  void closedRuleAdmitsNothingDuringAnOutage() {
    storeIsUnavailable();

    calls(pool(Limit.perSecond(10)).onFail(OnFail.CLOSED, Ratio.ONE), 100, SECOND);

    assertThat(overAdmission()).isZero();
  }

  @Test
  void fixedWindowIsAllowedItsCountPerWindow() {
    Pool pool = pool(Limit.fixedWindow(10, SECOND));

    int passed = calls(pool, 2000, Duration.ofSeconds(10));

    assertThat(passed).isGreaterThan(90);
    assertThat(overAdmission()).isBetween(0.9, 1.0);
  }

  @Test
  void quotaUsedBeforeTheAuditCounts() {
    Pool pool = pool(Limit.quota(100, Quota.Period.DAY));
    auditor = new AdmissionAuditor(memory, time, () -> 1, Integer.MAX_VALUE); // sees nothing yet
    calls(pool, 90, SECOND);

    auditor = auditor(memory);
    calls(pool, 50, SECOND);

    assertThat(overAdmission()).isEqualTo(1.0);
  }

  @Test
  void outageShowsInAQuotaToo() {
    storeIsUnavailable();
    Pool pool = pool(Limit.quota(100, Quota.Period.DAY)).onFail(OnFail.OPEN, Ratio.ONE);

    calls(pool, 400, SECOND);

    // The end of the day is not known without the store, so two days are allowed for.
    assertThat(overAdmission()).isEqualTo(2.0);
  }

  @Test
  void evenTrafficIsEstimatedWell() {
    Pool pool = pool(Limit.slidingWindow(1000, Duration.ofSeconds(10)));
    calls(pool, 1900, Duration.ofSeconds(20));
    auditor = auditor(memory); // not from the beginning, when a window has but its end filled

    calls(pool, 2850, Duration.ofSeconds(30).minusMillis(1));

    assertThat(estimateError()).isLessThan(0.02);
    assertThat(overAdmission()).isBetween(0.94, 0.96);
  }

  @Test
  void bunchedTrafficIsEstimatedBadlyButWithinTheBound() {
    Pool pool = pool(Limit.slidingWindow(100, Duration.ofSeconds(10)).alignedToClock());
    Duration untilWindow = Duration.ofNanos((10_000_000 - time.wallMicros() % 10_000_000) * 1000);
    time.advance(untilWindow);
    call(pool);
    time.advance(Duration.ofMillis(9800));
    assertThat(calls(pool, 99, Duration.ofMillis(100))).isEqualTo(99); // at the window's end
    time.advance(Duration.ofMillis(5100));

    int passed = calls(pool, 100, Duration.ofMillis(100));

    // In the middle of the next window the estimate has dropped half of them, while all lie within
    // the last ten seconds.
    assertThat(passed).isBetween(49, 53);
    assertThat(estimateError()).isBetween(0.4, 1.0);
    assertThat(overAdmission()).isBetween(1.4, 2.0);
  }

  @Test
  void estimateErrorIsUnknownIfInstancesShareTheKey() {
    instances = 2;

    calls(pool(Limit.slidingWindow(100, SECOND)), 450, Duration.ofSeconds(5));

    assertThat(estimateError()).isNaN();
    assertThat(overAdmission()).isBetween(0.85, 0.95);
  }

  @Test
  void refundsReduceTheAdmittedAmount() {
    Pool pool = pool(Limit.perSecond(10).burst(100));
    TakeResult reserved =
        auditor
            .reserve(
                7, List.of(new Draw(pool, Key.of("somebody"), 100, Mode.ENFORCE, Draw.Intent.HOLD)))
            .toCompletableFuture()
            .join();
    assertThat(overAdmission()).isEqualTo(0.5); // of 100 at once and 100 in ten seconds
    TakeReceipt receipt = reserved.receipts().get(0);

    auditor.settle(
        7, List.of(new ReservedPart(pool, Key.of("somebody"), 100, 20, receipt)), SECOND);

    assertThat(overAdmission()).isEqualTo(0.1);
  }

  @Test
  void looksAreNotCounted() {
    Pool pool = pool(Limit.perSecond(10));

    auditor.take(List.of(draw(pool, "somebody").asLook()));

    assertThat(auditor.results()).isEmpty();
  }

  @Test
  void auditsAFewKeysOfARuleAndOthersAfterThem() {
    Pool pool = pool(Limit.perSecond(10));
    for (int i = 0; i < 100; i++) {
      auditor.take(List.of(draw(pool, "user-" + i)));
    }
    for (int i = 0; i < 5; i++) {
      auditor.take(List.of(draw(pool, "user-" + AdmissionAuditor.PER_RULE)));
    }
    assertThat(overAdmission()).isEqualTo(1 / 110.0);

    time.advance(Duration.ofSeconds(10));
    for (int i = 0; i < 5; i++) {
      auditor.take(List.of(draw(pool, "user-" + AdmissionAuditor.PER_RULE)));
    }

    assertThat(overAdmission()).isEqualTo(5 / 110.0);
  }

  @Test
  void auditsTheBucketsOfNewRulesAtOnce() {
    Pool old = pool(Limit.perHour(10));
    for (int i = 0; i < AdmissionAuditor.PER_RULE; i++) {
      auditor.take(List.of(draw(old, "user-" + i)));
    }
    assertThat(overAdmission()).isEqualTo(1 / 20.0);

    auditor.rulesChanged();
    calls(pool(Limit.perHour(5)), 5, Duration.ofMillis(5));

    assertThat(overAdmission()).isEqualTo(5 / 10.0);
  }

  @Test
  void resultsAreReportedForAMinuteAfterTheAudit() {
    calls(pool(Limit.perSecond(10)), 11, Duration.ofMillis(11));
    time.advance(Duration.ofSeconds(10));

    assertThat(overAdmission()).isEqualTo(10 / 110.0);
    time.advance(Duration.ofSeconds(60));
    assertThat(auditor.results()).isEmpty();
  }

  @Test
  void keysAreSampledFromCalls() {
    auditor = new AdmissionAuditor(memory, time, () -> 1, 64);
    Pool pool = pool(Limit.perHour(1_000_000));

    calls(pool, 10_000, SECOND);

    // Nearly all calls are seen: the audit begins soon after the first call.
    assertThat(overAdmission()).isBetween(8_000 / 2e6, 10_000 / 2e6);
  }
}
