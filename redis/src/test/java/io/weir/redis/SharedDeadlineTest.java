package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.SettlementResult;
import io.weir.limit.TakeReceipt;
import io.weir.redis.call.CallPurpose;
import io.weir.redis.link.ScriptRunner;
import io.weir.redis.script.KeyNames;
import io.weir.redis.script.Script;
import io.weir.redis.script.ScriptReply;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.time.SystemTime;
import io.weir.time.VirtualTime;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * A store that has to send twice, because the calendar period it sent did not match the clock of
 * Redis.
 */
class SharedDeadlineTest {
  private static final Duration TIMEOUT = Duration.ofMillis(400);
  private static final long FIRST_MILLIS = 300;
  private static final Pool QUOTA = new Pool("q", "q", "1", Limit.parse("quota 5/day"), false);

  /** Replies after a while that it needs other periods, and then does not reply. */
  private static final class Undecided implements ScriptRunner {
    private int asked;

    @Override
    public int groupOf(byte[] key) {
      return 0;
    }

    @Override
    public CompletionStage<byte[]> run(
        CallPurpose purpose, Script script, byte[][] keys, byte[] args) {
      CompletableFuture<byte[]> answer = new CompletableFuture<>();
      if (asked++ > 0) {
        return answer;
      }
      boolean settles = script == Script.SETTLE;
      ByteBuffer bytes =
          ByteBuffer.allocate(Double.BYTES + (settles ? 0 : ScriptReply.BYTES))
              .order(ByteOrder.LITTLE_ENDIAN)
              .putDouble(1e15);
      if (!settles) {
        bytes.put((byte) ScriptReply.ReplyStatus.UNDECIDED.ordinal());
      }
      return answer.completeOnTimeout(bytes.array(), FIRST_MILLIS, TimeUnit.MILLISECONDS);
    }

    @Override
    public CompletionStage<Void> connected() {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void close() {}
  }

  private final RedisStore store =
      new RedisStore(new Undecided(), new KeyNames(new byte[0]), SystemTime.INSTANCE, TIMEOUT);

  private static void assertInTime(CompletableFuture<?> answer) throws Exception {
    answer.get(FIRST_MILLIS + TIMEOUT.toMillis() - 50, TimeUnit.MILLISECONDS);
  }

  @Test
  void retryForCalendarPeriodSharesOneDeadline() throws Exception {
    Draw draw = new Draw(QUOTA, Key.of("a"), 1, Mode.ENFORCE, Draw.Intent.TAKE);
    CompletableFuture<LimitStatus> status =
        store
            .take(List.of(draw))
            .thenApply(result -> result.statuses().get(0))
            .toCompletableFuture();

    assertInTime(status);
    assertThat(status.get().answered()).isFalse();
  }

  private static CompletableFuture<LimitStatus> take(RedisStore store, Draw draw) {
    return store
        .take(List.of(draw))
        .thenApply(result -> result.statuses().get(0))
        .toCompletableFuture();
  }

  @Test
  void followUpCallHasTheRemainingTimeOfItsDecision() {
    VirtualTime time = new VirtualTime();
    Undecided runner = new Undecided();
    runner.asked = 1; // from now on it does not reply
    RedisStore store = new RedisStore(runner, new KeyNames(new byte[0]), time, TIMEOUT);
    time.advance(Duration.ofSeconds(9));
    Pool pool = new Pool("r", "r", "1", Limit.perSecond(9), false);
    Draw draw =
        new Draw(pool, Key.of("a"), 1, Mode.ENFORCE, Draw.Intent.TAKE).retryOf(time.micros());

    time.advance(Duration.ofMillis(FIRST_MILLIS));
    CompletableFuture<LimitStatus> status = take(store, draw);
    time.advance(TIMEOUT.minusMillis(FIRST_MILLIS + 1));
    assertThat(status).isNotDone();
    time.advance(Duration.ofMillis(1));

    assertThat(status).isCompletedWithValueMatching(reply -> !reply.answered());
    assertThat(runner.asked).isEqualTo(2);
    assertThat(take(store, draw)).isCompletedWithValueMatching(reply -> !reply.answered());
    assertThat(runner.asked).as("no time left to send").isEqualTo(2);
  }

  @Test
  void settlementRetrySharesOneDeadline() throws Exception {
    ReservedPart held = new ReservedPart(QUOTA, Key.of("a"), 1, 0, new TakeReceipt(1, 1));
    CompletableFuture<SettlementResult> settled =
        store.settle(1, List.of(held), Duration.ofSeconds(1)).toCompletableFuture();

    assertInTime(settled);
    assertThat(settled.get()).isEqualTo(SettlementResult.UNAVAILABLE);
  }
}
