package io.weir.control.rollout.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class PeakSharesTest {
  private static final long SECOND = 1_000_000;

  @Test
  void countsInWindowsAsTheJudgeDoes() {
    PeakShares peaks = new PeakShares();
    for (int second = 0; second < 600; second++) {
      for (int key = 0; key < 20; key++) {
        // Key 0: both refuse it, minutes apart. Keys 1 and 2: only the new version, together.
        boolean old = key == 0 && second == 30;
        boolean fresh = (key == 0 && second == 400) || (key > 0 && key < 3 && second == 500);
        peaks.add(second * SECOND, "api", (long) key << 30, old, fresh);
        peaks.add(second * SECOND, "calm", (long) key << 30, false, false);
      }
    }

    assertThat(peaks.shares()).isEqualTo(Map.of("api", 0.1));
  }

  @Test
  void aGapEmptiesTheWindow() {
    PeakShares peaks = new PeakShares();
    for (int key = 0; key < 20; key++) {
      peaks.add(0, "api", (long) key << 30, false, key == 0);
    }
    for (int key = 20; key < 40; key++) {
      peaks.add(86_400 * SECOND, "api", (long) key << 30, false, key < 24);
    }

    assertThat(peaks.shares()).isEqualTo(Map.of("api", 0.2));
  }

  @Test
  void fewKeysHaveNoShare() {
    PeakShares peaks = new PeakShares();
    for (int key = 0; key < 9; key++) {
      peaks.add(0, "api", (long) key << 30, false, true);
    }

    assertThat(peaks.shares()).isEmpty();
  }
}
