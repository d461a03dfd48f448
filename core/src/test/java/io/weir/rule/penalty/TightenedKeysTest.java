package io.weir.rule.penalty;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.time.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TightenedKeysTest {
  private static final long SECOND = 1_000_000;

  private final VirtualTime time = new VirtualTime();
  private final TightenedKeys keys = new TightenedKeys(time);

  @Test
  void holdsAKeyUntilItsTimeEnds() {
    assertThat(keys.contains(1, 2)).isFalse();

    keys.add(1, 2, 10 * SECOND);

    assertThat(keys.contains(1, 2)).isTrue();
    assertThat(keys.contains(2, 2)).isFalse();
    assertThat(keys.contains(1, 3)).isFalse();
    time.advance(Duration.ofSeconds(4));
    assertThat(keys.remainingMicros(1, 2)).isEqualTo(6 * SECOND);
    time.advance(Duration.ofSeconds(6));
    assertThat(keys.contains(1, 2)).isFalse();
  }

  @Test
  void aKeyThatIsAddedAgainHasOneEntry() {
    keys.add(1, 2, 10 * SECOND);
    keys.add(1, 2, 3 * SECOND);

    assertThat(keys.remainingMicros(1, 2)).isEqualTo(3 * SECOND);
  }

  @Test
  void dropsTheKeyThatEndsFirstWhenItsPlacesAreTaken() {
    int sets = 4096;
    for (int i = 0; i < 4; i++) {
      keys.add(i, 7 + (long) i * sets, (20 - i) * SECOND);
    }

    keys.add(9, 7, 30 * SECOND);

    assertThat(keys.contains(9, 7)).isTrue();
    for (int i = 0; i < 3; i++) {
      assertThat(keys.contains(i, 7 + (long) i * sets)).isTrue();
    }
    assertThat(keys.contains(3, 7 + 3L * sets)).isFalse();
  }
}
