package io.weir.redis.call;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CircuitBreakerTest {
  private static final long SECOND = CircuitBreaker.SECOND;

  private double jitter;
  private final CircuitBreaker breaker = new CircuitBreaker(() -> jitter);
  private long now = -17 * SECOND; // monotonic clocks start anywhere

  private void fail(int times) {
    for (int i = 0; i < times; i++) {
      breaker.onFailure(now);
    }
  }

  private void succeed(int times) {
    for (int i = 0; i < times; i++) {
      breaker.onSuccess(now, false);
    }
  }

  @Test
  void closedAtFirst() {
    assertThat(breaker.tryPass(now)).isTrue();
    assertThat(breaker.tryPass(now)).isTrue();
    assertThat(breaker.state()).isEqualTo(CircuitBreaker.State.CLOSED);
  }

  @Test
  void opensOnFiveFailuresInARow() {
    fail(4);
    assertThat(breaker.tryPass(now)).isTrue();

    assertThat(breaker.onFailure(now)).isTrue();

    assertThat(breaker.state()).isEqualTo(CircuitBreaker.State.OPEN);
    assertThat(breaker.tryPass(now)).isFalse();
  }

  @Test
  void isBlockingDoesNotConsumeTheProbe() {
    assertThat(breaker.isBlocking(now)).isFalse();
    fail(5);
    assertThat(breaker.isBlocking(now)).isTrue();
    now += 2 * SECOND;
    assertThat(breaker.isBlocking(now)).isFalse();
    assertThat(breaker.tryPass(now)).isTrue();
    assertThat(breaker.isBlocking(now)).as("while the probe is under way").isTrue();
    succeed(1);
    assertThat(breaker.isBlocking(now)).isFalse();
  }

  @Test
  void successInBetweenResetsTheRow() {
    fail(4);
    succeed(1);
    fail(4);

    assertThat(breaker.state()).isEqualTo(CircuitBreaker.State.CLOSED);
  }

  @Test
  void opensWhenOneInTwentyFails() {
    succeed(37);
    fail(1);
    succeed(2);
    assertThat(breaker.state()).isEqualTo(CircuitBreaker.State.CLOSED);

    fail(1); // 2 of 41
    assertThat(breaker.state()).isEqualTo(CircuitBreaker.State.CLOSED);
    assertThat(breaker.onFailure(now)).isTrue(); // 3 of 42
  }

  @Test
  void justOneInTwentyIsEnough() {
    succeed(38);
    fail(1);
    assertThat(breaker.state()).isEqualTo(CircuitBreaker.State.CLOSED);

    assertThat(breaker.onFailure(now)).isTrue(); // 2 of 40
  }

  @Test
  void fewCallsDoNotOpenIt() {
    fail(1);
    succeed(15);
    fail(1);

    assertThat(breaker.state()).isEqualTo(CircuitBreaker.State.CLOSED);
  }

  @Test
  void slowRepliesCountToo() {
    succeed(18);
    breaker.onSuccess(now, true); // too few calls to judge
    assertThat(breaker.state()).isEqualTo(CircuitBreaker.State.CLOSED);

    assertThat(breaker.onSuccess(now, true)).isTrue();
  }

  @Test
  void countsTheLastTenSecondsOnly() {
    fail(3);
    succeed(10);
    now += 10 * SECOND;
    succeed(40);
    fail(2);

    assertThat(breaker.state()).isEqualTo(CircuitBreaker.State.CLOSED);
    fail(1);
    assertThat(breaker.state()).isEqualTo(CircuitBreaker.State.OPEN);
  }

  @Test
  void singleProbePassesAfterTwoSeconds() {
    fail(5);

    assertThat(breaker.tryPass(now + 2 * SECOND - 1)).isFalse();
    assertThat(breaker.tryPass(now + 2 * SECOND)).isTrue();
    assertThat(breaker.state()).isEqualTo(CircuitBreaker.State.PROBING);
    assertThat(breaker.tryPass(now + 2 * SECOND)).isFalse();
    assertThat(breaker.tryPass(now + 60 * SECOND)).isFalse();
  }

  @Test
  void coolDownHasTwentyPercentJitter() {
    jitter = 1;
    fail(5);

    assertThat(breaker.tryPass(now + 2_400_000 - 1)).isFalse();
    assertThat(breaker.tryPass(now + 2_400_000)).isTrue();
  }

  @Test
  void closesWhenTheProbeSucceeds() {
    fail(5);
    now += 2 * SECOND;
    breaker.tryPass(now);

    assertThat(breaker.onSuccess(now, true)).isTrue();

    assertThat(breaker.state()).isEqualTo(CircuitBreaker.State.CLOSED);
    fail(4);
    assertThat(breaker.state()).isEqualTo(CircuitBreaker.State.CLOSED);
  }

  @Test
  void coolDownDoublesAfterEachFailedProbe() {
    fail(5);
    for (long wait : new long[] {2, 4, 8, 16, 30, 30}) {
      assertThat(breaker.tryPass(now + wait * SECOND - 1)).isFalse();
      now += wait * SECOND;
      assertThat(breaker.tryPass(now)).isTrue();
      assertThat(breaker.onFailure(now)).isTrue();
    }
  }

  @Test
  void abandonedProbeCountsAsFailed() {
    fail(5);
    now += 2 * SECOND;
    breaker.tryPass(now);

    assertThat(breaker.onGivenUp(now)).isTrue();

    assertThat(breaker.tryPass(now + 4 * SECOND - 1)).isFalse();
    assertThat(breaker.tryPass(now + 4 * SECOND)).isTrue();
  }

  @Test
  void abandonedCallsThatAreNoProbeChangeNothing() {
    for (int i = 0; i < 100; i++) {
      assertThat(breaker.onGivenUp(now)).isFalse();
    }
    assertThat(breaker.state()).isEqualTo(CircuitBreaker.State.CLOSED);
    fail(5);

    assertThat(breaker.onGivenUp(now)).isFalse();
    assertThat(breaker.tryPass(now + 2 * SECOND)).isTrue();
  }

  @Test
  void coolDownRestartsAtTwoSecondsAfterClosing() {
    fail(5);
    now += 2 * SECOND;
    breaker.tryPass(now);
    breaker.onFailure(now);
    now += 4 * SECOND;
    breaker.tryPass(now);
    breaker.onSuccess(now, false);
    fail(5);

    assertThat(breaker.tryPass(now + 2 * SECOND)).isTrue();
  }

  @Test
  void callsInFlightWhenItOpenedChangeNothing() {
    fail(5);

    assertThat(breaker.onFailure(now)).isFalse();
    assertThat(breaker.onSuccess(now, false)).isFalse();
    assertThat(breaker.state()).isEqualTo(CircuitBreaker.State.OPEN);
  }

  @Test
  void opensAtOnceWhenTheNodeIsKnownToBeUnavailable() {
    assertThat(breaker.trip(now)).isTrue();

    assertThat(breaker.trip(now)).isFalse();
    assertThat(breaker.tryPass(now)).isFalse();
    assertThat(breaker.tryPass(now + 2 * SECOND)).isTrue();
  }

  @Test
  void closesBeforeTheCoolDownIsOverWhenTheNodeIsKnownToAnswer() {
    fail(5);

    assertThat(breaker.onRecovery(now)).isTrue();

    assertThat(breaker.onRecovery(now)).isFalse();
    assertThat(breaker.tryPass(now)).isTrue();
    fail(4);
    assertThat(breaker.state()).isEqualTo(CircuitBreaker.State.CLOSED);
  }

  @Test
  void twoLateCallsRightAfterClosingDoNotOpenIt() {
    fail(5);
    breaker.onRecovery(now);
    succeed(19);
    fail(1);
    succeed(19);
    fail(1);
    assertThat(breaker.state()).isEqualTo(CircuitBreaker.State.CLOSED);

    now += SECOND;
    fail(1);
    assertThat(breaker.state()).as("a second later").isEqualTo(CircuitBreaker.State.OPEN);
  }

  @Test
  void failuresInARowOpenItAgainAtOnce() {
    fail(5);
    breaker.onRecovery(now);
    succeed(100);
    fail(5);
    assertThat(breaker.state()).isEqualTo(CircuitBreaker.State.OPEN);
  }
}
