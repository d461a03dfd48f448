package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.Standing;
import io.weir.store.Draw;
import io.weir.store.Grant;
import io.weir.store.LeaseCall;
import io.weir.store.Pool;
import io.weir.store.Taking;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** What is told of a call that got no answer: whether anybody can have heard it. */
class UnsentTest {
  private static final Pool POOL = new Pool("r", "r", "1", Limit.perSecond(1000), false);
  private static final Draw TELLING =
      new Draw(POOL, Key.of("a"), 1, Mode.ENFORCE, Draw.Intent.TAKE)
          .telling(new LeaseCall(100, Grant.NONE, 0, 0, 10, 0));

  private record Silent(Unanswered reason) implements Link {
    @Override
    public int groupOf(byte[] key) {
      return 0;
    }

    @Override
    public CompletionStage<byte[]> run(Purpose purpose, Script script, byte[][] keys, byte[] args) {
      return CompletableFuture.failedFuture(reason);
    }

    @Override
    public CompletionStage<Void> connected() {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void close() {}
  }

  private static Grant grantAfter(Unanswered reason) {
    RedisStore store =
        new RedisStore(
            new Silent(reason),
            new KeyNames(new byte[0]),
            new VirtualTime(),
            Duration.ofSeconds(1));
    Taking taking = store.take(List.of(TELLING)).toCompletableFuture().join();
    assertThat(taking.standings()).extracting(Standing::answered).containsExactly(false);
    return taking.grants().get(0);
  }

  @Test
  void nobodyHeardWhatWasKeptFromANode() {
    assertThat(grantAfter(Unanswered.kept("kept"))).isSameAs(Grant.UNSENT);
    assertThat(grantAfter(Unanswered.away("away"))).isSameAs(Grant.UNSENT);
    assertThat(grantAfter(Unanswered.full())).isSameAs(Grant.UNSENT);
  }

  @Test
  void whatWasSentMayHaveBeenHeard() {
    assertThat(grantAfter(Unanswered.late())).isSameAs(Grant.NONE);
    assertThat(grantAfter(Unanswered.because(new RuntimeException("connection reset"))))
        .isSameAs(Grant.NONE);
  }
}
