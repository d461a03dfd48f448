package io.weir.redis.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.redis.RedisStore;
import io.weir.redis.RedisStoreFactory;
import io.weir.redis.link.ScriptRunner;
import io.weir.redis.script.KeyNames;
import io.weir.redis.script.Script;
import io.weir.store.Draw;
import io.weir.store.LeaseGrant;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.TakeResult;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Whether a call without an answer may have been applied. */
class NotSentTest {
  private static final Pool POOL = new Pool("r", "r", "1", Limit.perSecond(1000), false);
  private static final Draw TELLING =
      new Draw(POOL, Key.of("a"), 1, Mode.ENFORCE, Draw.Intent.TAKE)
          .withLease(new LeaseReport(100, LeaseGrant.NONE, 0, 0, 10, 0));

  private record Silent(NoAnswerException reason) implements ScriptRunner {
    @Override
    public int groupOf(byte[] key) {
      return 0;
    }

    @Override
    public CompletionStage<byte[]> run(
        CallPurpose purpose, Script script, byte[][] keys, byte[] args) {
      return CompletableFuture.failedFuture(reason);
    }

    @Override
    public CompletionStage<Void> connected() {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void close() {}
  }

  private static LeaseGrant grantAfter(NoAnswerException reason) {
    RedisStore store =
        RedisStoreFactory.on(
            new Silent(reason),
            new KeyNames(new byte[0]),
            new VirtualTime(),
            Duration.ofSeconds(1));
    TakeResult result = store.take(List.of(TELLING)).toCompletableFuture().join();
    assertThat(result.statuses()).extracting(LimitStatus::answered).containsExactly(false);
    return result.grants().get(0);
  }

  @Test
  void rejectedCallIsReportedAsNotSent() {
    assertThat(grantAfter(NoAnswerException.breakerOpen("kept"))).isSameAs(LeaseGrant.NOT_SENT);
    assertThat(grantAfter(NoAnswerException.unavailable("away"))).isSameAs(LeaseGrant.NOT_SENT);
    assertThat(grantAfter(NoAnswerException.queueFull())).isSameAs(LeaseGrant.NOT_SENT);
  }

  @Test
  void sentCallMayHaveBeenApplied() {
    assertThat(grantAfter(NoAnswerException.timeout())).isSameAs(LeaseGrant.NONE);
    assertThat(grantAfter(NoAnswerException.from(new RuntimeException("connection reset"))))
        .isSameAs(LeaseGrant.NONE);
  }
}
