package io.weir.server.front;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.time.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LoadShedderTest {
  private final VirtualTime time = new VirtualTime();

  @Test
  void capsTheRate() {
    LoadShedder guard = new LoadShedder(Limit.perSecond(2), 100, time);

    assertThat(guard.tryEnter()).isTrue();
    assertThat(guard.tryEnter()).isTrue();
    assertThat(guard.tryEnter()).isFalse();
    time.advance(Duration.ofMillis(500));
    assertThat(guard.tryEnter()).isTrue();
    assertThat(guard.inFlight()).isEqualTo(3);
  }

  @Test
  void capsTheCallsInFlight() {
    LoadShedder guard = new LoadShedder(Limit.perSecond(1000), 2, time);

    guard.tryEnter();
    guard.tryEnter();
    assertThat(guard.tryEnter()).isFalse();
    guard.exit();
    assertThat(guard.tryEnter()).isTrue();
  }
}
