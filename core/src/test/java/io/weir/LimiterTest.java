package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.time.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LimiterTest {
  private final VirtualTime time = new VirtualTime();

  private Limiter limiter(String limit) {
    return Limiter.builder(Limit.parse(limit)).time(time).build();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "3/h",
        "fixed-window 3/h",
        "fixed-window 3/h aligned=true",
        "sliding-window 3/h",
        "sliding-log 3/h",
        "quota 3/day"
      })
  void admitsExactlyTheLimitUnderEveryAlgorithm(String limit) {
    Limiter limiter = limiter(limit);

    for (int i = 0; i < 3; i++) {
      assertThat(limiter.tryAcquire("user:42")).isTrue();
    }
    assertThat(limiter.tryAcquire("user:42")).isFalse();
    assertThat(limiter.tryAcquire("user:43", 3)).isTrue();
    assertThat(limiter.tryAcquire("user:44", 4)).isFalse();
    assertThat(limiter.check("user:42", 1).retryAfter().orElseThrow()).isPositive();
  }

  @Test
  void rejectsNullKeyWithMessage() {
    Limiter limiter = Weir.limiter(Limit.perSecond(5));

    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> limiter.tryAcquire((String) null),
            () -> limiter.tryAcquire((Key) null),
            () -> limiter.check((String) null),
            () -> limiter.reserve((String) null, 1),
            () -> Key.of("a", null))) {
      assertThatThrownBy(call)
          .isInstanceOf(NullPointerException.class)
          .hasMessage("key must not be null");
    }
  }

  @Test
  void longKeyIsTheSameAsTextAndAsKey() {
    Limiter limiter = Weir.limiter(Limit.slidingWindow(3, Duration.ofHours(1)));
    String huge = "x".repeat(400_000);

    assertThat(limiter.tryAcquire(huge)).isTrue();
    assertThat(limiter.tryAcquire(Key.of(huge))).isTrue();
    assertThat(limiter.check(huge).remaining()).isZero();
    assertThat(limiter.tryAcquire(huge)).isFalse();
    String digest = Key.of(huge).parts().get(0);
    assertThat(digest).hasSize(50).startsWith("sha256:");
    assertThat(limiter.tryAcquire(digest)).as("a digest is another key").isTrue();
    assertThat(limiter.tryAcquire("x".repeat(400_001))).isTrue();
    assertThat(limiter.check(digest).remaining()).isEqualTo(1);
  }

  @Test
  void bothFormsOfAKeyMeanTheSameBucket() {
    Limiter limiter = limiter("2/h");
    Key key = Key.of("user:42");

    assertThat(limiter.tryAcquire(key)).isTrue();
    assertThat(limiter.tryAcquire("user:42")).isTrue();
    assertThat(limiter.tryAcquire(key)).isFalse();
    assertThat(limiter.check(key, 1).allowed()).isFalse();
    assertThat(limiter.look("user:42").remaining()).isZero();
  }

  @Test
  void windowsHaveTheSamePhaseForBothFormsOfAKey() {
    Limiter limiter = limiter("fixed-window 5/h");

    limiter.tryAcquire("user:42");
    Duration first = limiter.look("user:42").reset();
    limiter.tryAcquire(Key.of("user:42"));

    assertThat(limiter.look("user:42").reset()).isEqualTo(first);
    assertThat(limiter.look("user:42").remaining()).isEqualTo(3);
  }

  @Test
  void tryAcquireOnLeakyBucketAdmitsOnlyWithoutDelay() {
    Limiter limiter = limiter("leaky-bucket 10/s queue=5");

    assertThat(limiter.tryAcquire("k")).isTrue();
    assertThat(limiter.tryAcquire("k")).isFalse();
    assertThat(limiter.check("k").delay()).isEqualTo(Duration.ofMillis(100));
  }

  @Test
  void acquireWaitsExactlyAsLongAsItMust() {
    Limiter limiter = limiter("10/s burst=1");
    limiter.tryAcquire("k");

    CompletableFuture<Void> waiting =
        limiter.acquireAsync("k", Duration.ofSeconds(1)).toCompletableFuture();

    time.advance(Duration.ofMillis(99));
    assertThat(waiting).isNotDone();
    time.advance(Duration.ofMillis(1));
    assertThat(waiting).isCompleted();
    assertThat(limiter.tryAcquire("k")).isFalse();
  }

  @Test
  void acquireFailsAtOnceWhenItCannotSucceed() {
    Limiter limiter = limiter("1/h");
    limiter.tryAcquire("k");

    assertThatThrownBy(() -> limiter.acquire("k", Duration.ofSeconds(10)))
        .isInstanceOf(LimitExceededException.class)
        .satisfies(
            e ->
                assertThat(((LimitExceededException) e).decision().retryAfter())
                    .contains(Duration.ofHours(1)));
    assertThatThrownBy(() -> limiter.acquire("k", 2, Duration.ofDays(10)))
        .isInstanceOf(LimitExceededException.class);
    assertThatCode(() -> limiter.acquire("other", Duration.ZERO)).doesNotThrowAnyException();
  }

  @Test
  void acquireGivesBackALeakyBucketSlotItCannotWaitFor() {
    Limiter limiter = limiter("leaky-bucket 1/s queue=5");
    limiter.tryAcquire("k");

    assertThatThrownBy(() -> limiter.acquire("k", Duration.ofMillis(500)))
        .isInstanceOf(LimitExceededException.class);
    assertThat(limiter.look("k").remaining()).isEqualTo(5);
  }

  @Test
  void refundsNeverGoPastFull() {
    Limiter limiter = limiter("5/h");
    limiter.tryAcquire("k", 3);

    limiter.refund("k", 2);
    assertThat(limiter.look("k").remaining()).isEqualTo(4);
    limiter.refund("k", 100);
    assertThat(limiter.look("k").remaining()).isEqualTo(5);
    limiter.refund("anonymous", 100);
    assertThat(limiter.look("anonymous").remaining()).isEqualTo(5);
  }

  @Test
  void refundsTheNewestEntriesOfALog() {
    Limiter limiter = limiter("sliding-log 3/h");
    limiter.tryAcquire("k");
    time.advance(Duration.ofMinutes(10));
    limiter.tryAcquire("k", 2);
    time.advance(Duration.ofMinutes(10));

    limiter.refund("k", 1);

    assertThat(limiter.look("k").remaining()).isEqualTo(1);
    assertThat(limiter.check("k", 3).retryAfter()).contains(Duration.ofMinutes(50));
  }

  @Test
  void permitsAreReservedAndReleased() {
    Limiter limiter = limiter("concurrency 1");

    String permit = limiter.reserve("k", 1).reservation().orElseThrow();
    assertThat(limiter.reserve("k", 1).allowed()).isFalse();
    assertThat(limiter.renew(permit)).isEqualTo(SettlementResult.DONE);
    assertThat(limiter.release(permit)).isEqualTo(SettlementResult.DONE);
    assertThat(limiter.reserve("k", 1).allowed()).isTrue();
    assertThatThrownBy(() -> limiter.tryAcquire("k"))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void settlesAtTheTrueCost() {
    Limiter limiter = limiter("10/h");

    String reservation = limiter.reserve("k", 8).reservation().orElseThrow();
    assertThat(limiter.settle(reservation, 3)).isEqualTo(SettlementResult.DONE);
    assertThat(limiter.look("k").remaining()).isEqualTo(7);
    assertThat(limiter("10/h").settle(reservation, 3)).isEqualTo(SettlementResult.UNKNOWN);
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE})
  void rejectsInvalidCosts(long cost) {
    assertThatThrownBy(() -> limiter("5/h").tryAcquire("k", cost))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cost");
  }

  @Test
  void runsOnTheSystemClockByDefault() throws InterruptedException {
    Limiter limiter = Weir.limiter(Limit.perSecond(1000).burst(1));

    limiter.tryAcquire("k");
    limiter.acquire("k", Duration.ofSeconds(5));

    assertThat(limiter.keys()).isEqualTo(1);
  }

  @Test
  void acquireWithZeroWaitSucceedsIfAdmitted() {
    Limiter limiter = Weir.limiter(Limit.perSecond(1_000_000));

    assertThatCode(
            () -> {
              for (int i = 0; i < 1000; i++) {
                limiter.acquire("k", Duration.ZERO);
              }
            })
        .doesNotThrowAnyException();
  }

  @Test
  void acquireMayWaitForever() {
    Limiter limiter = limiter("1/h");
    Duration forever = ChronoUnit.FOREVER.getDuration();

    assertThat(limiter.acquireAsync("k", forever)).isCompleted();
    assertThat(limiter.acquireAsync("k", forever).toCompletableFuture()).isNotDone();
  }

  @Test
  void cancelledAcquireTakesNothing() {
    Limiter limiter = limiter("1/h");
    limiter.tryAcquire("k");

    limiter.acquireAsync("k", Duration.ofDays(1)).toCompletableFuture().cancel(false);
    time.advance(Duration.ofHours(1));

    assertThat(limiter.look("k").remaining()).isEqualTo(1);
  }

  @Test
  void interruptedAcquireTakesNothing() {
    Limiter limiter = limiter("1/h");
    limiter.tryAcquire("k");

    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> limiter.acquire("k", Duration.ofDays(1)))
        .isInstanceOf(InterruptedException.class);
    time.advance(Duration.ofHours(1));

    assertThat(limiter.look("k").remaining()).isEqualTo(1);
  }

  @Test
  void acquireRejectsConcurrencyLimits() {
    assertThatThrownBy(() -> limiter("concurrency 1").acquire("k", Duration.ZERO))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void continuationAfterAWaitDoesNotRunOnTheTimerThread() {
    Limiter limiter = Weir.limiter(Limit.perSecond(100).burst(1));
    limiter.tryAcquire("k");

    assertThat(
            limiter
                .acquireAsync("k", Duration.ofSeconds(5))
                .thenApply(acquired -> Thread.currentThread().getName())
                .toCompletableFuture()
                .join())
        .doesNotContain("DelayScheduler");
  }

  @Test
  void anHourInWhichTheClockGoesBackHalfAnHourEndsAfterIt() {
    VirtualTime lordHowe = new VirtualTime(Instant.parse("2026-04-04T14:10:00Z"));
    Limiter limiter =
        Limiter.builder(Limit.parse("quota 3/h zone=Australia/Lord_Howe")).time(lordHowe).build();

    assertThat(limiter.tryAcquire("k", 3)).isTrue();
    assertThat(limiter.check("k").retryAfter()).contains(Duration.ofMinutes(80));
    lordHowe.advance(Duration.ofMinutes(60));
    assertThat(limiter.check("k").retryAfter()).contains(Duration.ofMinutes(20));
    lordHowe.advance(Duration.ofMinutes(20));
    assertThat(limiter.tryAcquire("k", 3)).isTrue();
  }

  @Test
  void asyncFormsDecideLikeSynchronousOnes() {
    Limiter limiter = Limiter.builder(Limit.perHour(10)).time(new VirtualTime()).build();

    assertThat(limiter.checkAsync("k", 3))
        .isCompletedWithValueMatching(decision -> decision.remaining() == 7);
    Decision reserved = limiter.reserveAsync("k", 7).toCompletableFuture().join();
    String reservation = reserved.reservation().orElseThrow();
    assertThat(limiter.lookAsync("k"))
        .isCompletedWithValueMatching(decision -> decision.remaining() == 0);
    assertThat(limiter.settleAsync(reservation, 2)).isCompletedWithValue(SettlementResult.DONE);
    assertThat(limiter.look("k").remaining()).isEqualTo(5);

    Limiter slots = Weir.limiter(Limit.concurrency(1));
    String held = slots.reserve("k", 1).reservation().orElseThrow();
    assertThat(slots.renewAsync(held)).isCompletedWithValue(SettlementResult.DONE);
    assertThat(slots.releaseAsync(held)).isCompletedWithValue(SettlementResult.DONE);
    assertThat(slots.reserve("k", 1).allowed()).isTrue();
  }
}
