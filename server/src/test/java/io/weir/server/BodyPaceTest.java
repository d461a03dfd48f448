package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BodyPaceTest {
  private final BodyPace pace = new BodyPace();

  private int ticksUntilTooSlow() {
    int ticks = 1;
    while (!pace.isTooSlow()) {
      ticks++;
    }
    return ticks;
  }

  @Test
  void isPatientAtFirst() {
    assertThat(ticksUntilTooSlow()).isEqualTo(BodyPace.FIRST_TICKS + 1);
  }

  @Test
  void earnsASecondWithEachKibibyte() {
    pace.add(10 * BodyPace.BYTES_PER_TICK + 1);
    pace.add(BodyPace.BYTES_PER_TICK - 2);

    assertThat(ticksUntilTooSlow()).isEqualTo(BodyPace.FIRST_TICKS + 10 + 1);
  }

  @Test
  void goesOnForAsLongAsEnoughComes() {
    for (int i = 0; i < 100_000; i++) {
      pace.add(BodyPace.BYTES_PER_TICK);
      assertThat(pace.isTooSlow()).isFalse();
    }
  }
}
