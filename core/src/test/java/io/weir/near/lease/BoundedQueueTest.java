package io.weir.near.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class BoundedQueueTest {
  private final List<String> started = new ArrayList<>();
  private final BoundedQueue<String> work = new BoundedQueue<>(1, this::begin);

  private CompletionStage<?> begin(String piece) {
    if (piece.equals("bad")) {
      throw new StackOverflowError("bad");
    }
    started.add(piece);
    return CompletableFuture.completedFuture(null);
  }

  @Test
  void failedStartFreesItsPlace() {
    assertThatThrownBy(() -> work.add(List.of("bad"))).isInstanceOf(StackOverflowError.class);

    work.add(List.of("good"));

    assertThat(started).containsExactly("good");
  }
}
