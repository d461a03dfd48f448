package io.weir.tier;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BreakerTest {
  private static final long SECOND = Breaker.SECOND;

  private double jitter;
  private final Breaker breaker = new Breaker(() -> jitter);
  private long now = -17 * SECOND; // monotonic clocks begin anywhere

  private void fail(int times) {
    for (int i = 0; i < times; i++) {
      breaker.failed(now);
    }
  }

  private void succeed(int times) {
    for (int i = 0; i < times; i++) {
      breaker.succeeded(now, false);
    }
  }

  @Test
  void letsEverythingThroughAtFirst() {
    assertThat(breaker.tryPass(now)).isTrue();
    assertThat(breaker.tryPass(now)).isTrue();
    assertThat(breaker.state()).isEqualTo(Breaker.State.CLOSED);
  }

  @Test
  void opensOnFiveFailuresInARow() {
    fail(4);
    assertThat(breaker.tryPass(now)).isTrue();

    assertThat(breaker.failed(now)).isTrue();

    assertThat(breaker.state()).isEqualTo(Breaker.State.OPEN);
    assertThat(breaker.tryPass(now)).isFalse();
  }

  @Test
  void tellsWhetherItKeepsACallAndLeavesTheProbeToWhoeverAsks() {
    assertThat(breaker.keeps(now)).isFalse();
    fail(5);
    assertThat(breaker.keeps(now)).isTrue();
    now += 2 * SECOND;
    assertThat(breaker.keeps(now)).isFalse();
    assertThat(breaker.tryPass(now)).isTrue();
    assertThat(breaker.keeps(now)).as("while the probe is under way").isTrue();
    succeed(1);
    assertThat(breaker.keeps(now)).isFalse();
  }

  @Test
  void aSuccessInBetweenBreaksTheRow() {
    fail(4);
    succeed(1);
    fail(4);

    assertThat(breaker.state()).isEqualTo(Breaker.State.CLOSED);
  }

  @Test
  void opensWhenOneInTwentyFails() {
    succeed(37);
    fail(1);
    succeed(2);
    assertThat(breaker.state()).isEqualTo(Breaker.State.CLOSED);

    fail(1); // 2 of 41
    assertThat(breaker.state()).isEqualTo(Breaker.State.CLOSED);
    assertThat(breaker.failed(now)).isTrue(); // 3 of 42
  }

  @Test
  void justOneInTwentyIsEnough() {
    succeed(38);
    fail(1);
    assertThat(breaker.state()).isEqualTo(Breaker.State.CLOSED);

    assertThat(breaker.failed(now)).isTrue(); // 2 of 40
  }

  @Test
  void aFewCallsSayNothing() {
    fail(1);
    succeed(15);
    fail(1);

    assertThat(breaker.state()).isEqualTo(Breaker.State.CLOSED);
  }

  @Test
  void slowAnswersCountToo() {
    succeed(18);
    breaker.succeeded(now, true); // too few calls to say
    assertThat(breaker.state()).isEqualTo(Breaker.State.CLOSED);

    assertThat(breaker.succeeded(now, true)).isTrue();
  }

  @Test
  void looksAtTheLastTenSecondsOnly() {
    fail(3);
    succeed(10);
    now += 10 * SECOND;
    succeed(40);
    fail(2);

    assertThat(breaker.state()).isEqualTo(Breaker.State.CLOSED);
    fail(1);
    assertThat(breaker.state()).isEqualTo(Breaker.State.OPEN);
  }

  @Test
  void letsASingleProbeThroughAfterTwoSeconds() {
    fail(5);

    assertThat(breaker.tryPass(now + 2 * SECOND - 1)).isFalse();
    assertThat(breaker.tryPass(now + 2 * SECOND)).isTrue();
    assertThat(breaker.state()).isEqualTo(Breaker.State.PROBING);
    assertThat(breaker.tryPass(now + 2 * SECOND)).isFalse();
    assertThat(breaker.tryPass(now + 60 * SECOND)).isFalse();
  }

  @Test
  void spreadsReturnsByAFifth() {
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

    assertThat(breaker.succeeded(now, true)).isTrue();

    assertThat(breaker.state()).isEqualTo(Breaker.State.CLOSED);
    fail(4);
    assertThat(breaker.state()).isEqualTo(Breaker.State.CLOSED);
  }

  @Test
  void waitsTwiceAsLongAfterEachProbeThatFails() {
    fail(5);
    for (long wait : new long[] {2, 4, 8, 16, 30, 30}) {
      assertThat(breaker.tryPass(now + wait * SECOND - 1)).isFalse();
      now += wait * SECOND;
      assertThat(breaker.tryPass(now)).isTrue();
      assertThat(breaker.failed(now)).isTrue();
    }
  }

  @Test
  void aProbeThatIsGivenUpHasFailed() {
    fail(5);
    now += 2 * SECOND;
    breaker.tryPass(now);

    assertThat(breaker.givenUp(now)).isTrue();

    assertThat(breaker.tryPass(now + 4 * SECOND - 1)).isFalse();
    assertThat(breaker.tryPass(now + 4 * SECOND)).isTrue();
  }

  @Test
  void otherCallsThatAreGivenUpSayNothing() {
    for (int i = 0; i < 100; i++) {
      assertThat(breaker.givenUp(now)).isFalse();
    }
    assertThat(breaker.state()).isEqualTo(Breaker.State.CLOSED);
    fail(5);

    assertThat(breaker.givenUp(now)).isFalse();
    assertThat(breaker.tryPass(now + 2 * SECOND)).isTrue();
  }

  @Test
  void startsAgainAtTwoSecondsOnceItHasClosed() {
    fail(5);
    now += 2 * SECOND;
    breaker.tryPass(now);
    breaker.failed(now);
    now += 4 * SECOND;
    breaker.tryPass(now);
    breaker.succeeded(now, false);
    fail(5);

    assertThat(breaker.tryPass(now + 2 * SECOND)).isTrue();
  }

  @Test
  void callsThatWereUnderWayWhenItOpenedChangeNothing() {
    fail(5);

    assertThat(breaker.failed(now)).isFalse();
    assertThat(breaker.succeeded(now, false)).isFalse();
    assertThat(breaker.state()).isEqualTo(Breaker.State.OPEN);
  }

  @Test
  void opensAtOnceWhenTheNodeIsKnownToBeAway() {
    assertThat(breaker.trip(now)).isTrue();

    assertThat(breaker.trip(now)).isFalse();
    assertThat(breaker.tryPass(now)).isFalse();
    assertThat(breaker.tryPass(now + 2 * SECOND)).isTrue();
  }

  @Test
  void closesBeforeTheCoolDownIsOverWhenTheNodeIsKnownToAnswer() {
    fail(5);

    assertThat(breaker.recovered(now)).isTrue();

    assertThat(breaker.recovered(now)).isFalse();
    assertThat(breaker.tryPass(now)).isTrue();
    fail(4);
    assertThat(breaker.state()).isEqualTo(Breaker.State.CLOSED);
  }

  @Test
  void twoLateCallsJustAfterItHasClosedAreChance() {
    fail(5);
    breaker.recovered(now);
    succeed(19);
    fail(1);
    succeed(19);
    fail(1);
    assertThat(breaker.state()).isEqualTo(Breaker.State.CLOSED);

    now += SECOND;
    fail(1);
    assertThat(breaker.state()).as("a second later").isEqualTo(Breaker.State.OPEN);
  }

  @Test
  void failuresInARowOpenItAgainAtOnce() {
    fail(5);
    breaker.recovered(now);
    succeed(100);
    fail(5);
    assertThat(breaker.state()).isEqualTo(Breaker.State.OPEN);
  }
}
