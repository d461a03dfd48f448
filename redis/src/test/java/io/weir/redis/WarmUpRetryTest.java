package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.redis.call.CallBatcherFixture;
import io.weir.redis.call.CallPurpose;
import io.weir.redis.call.NoAnswerException;
import io.weir.redis.link.ScriptRunner;
import io.weir.redis.script.KeyNames;
import io.weir.redis.script.Script;
import io.weir.time.VirtualTime;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** How many warm-up calls a deployment gets that does not answer. */
class WarmUpRetryTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** Script calls per warm-up call. */
  private static final int CALLS = 3;

  private final VirtualTime time = new VirtualTime();
  private final Places places = new Places();
  private boolean closed;

  /** Deployments that answer at once, or time out at once. */
  private static final class Places implements ScriptRunner {
    private final Map<String, Integer> calls = new HashMap<>();
    private final Set<String> silent = new HashSet<>();

    private int callsTo(String rule) {
      return calls.getOrDefault(rule, 0);
    }

    @Override
    public int groupOf(byte[] key) {
      return 0;
    }

    @Override
    public CompletionStage<byte[]> run(
        CallPurpose purpose, Script script, byte[][] keys, byte[] args) {
      assertThat(purpose).isEqualTo(CallPurpose.WARM_UP);
      String rule = KeyNames.ruleOf(new String(keys[0], US_ASCII));
      calls.merge(rule, 1, Integer::sum);
      if (silent.contains(rule)) {
        return CompletableFuture.failedFuture(NoAnswerException.timeout());
      }
      return CompletableFuture.completedFuture(
          script == Script.SETTLE ? new byte[] {'0'} : admitted(script, keys.length));
    }

    private static byte[] admitted(Script script, int keys) {
      ByteBuffer bytes =
          ByteBuffer.allocate(Double.BYTES + keys * CallBatcherFixture.bytesOf(script))
              .order(ByteOrder.LITTLE_ENDIAN)
              .putDouble(1e15);
      for (int i = 0; i < keys && script == Script.TAKE; i++) {
        bytes.put((byte) 1).putDouble(0).putDouble(0).putDouble(0);
      }
      return bytes.array();
    }

    @Override
    public CompletionStage<Void> connected() {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void close() {}
  }

  private CompletableFuture<Void> begin(String... rules) {
    RedisStore store =
        new RedisStore(
            places,
            new KeyNames(new byte[0]),
            time,
            Duration.ofMillis(10).toNanos() / 1000,
            CallPurpose.WARM_UP);
    CompletableFuture<Void> answered =
        new WarmUp(store, List.of(rules), time, () -> closed).untilAnswered().toCompletableFuture();
    time.advance(Duration.ofSeconds(10)); // pauses are short at first
    return answered;
  }

  private void assertOneQuestionASecond(String rule) {
    places.calls.clear();
    time.advance(MINUTE);
    assertThat(places.callsTo(rule)).isBetween(59 * CALLS, 61 * CALLS);
  }

  @Test
  void silentDeploymentGetsOneCallPerSecondUntilItAnswers() {
    places.silent.add("any");
    CompletableFuture<Void> answered = begin("any");

    assertOneQuestionASecond("any");
    assertThat(answered).isNotDone();
    places.silent.clear();
    places.calls.clear();
    time.advance(Duration.ofSeconds(1));

    assertThat(answered).isCompleted();
    assertThat(places.callsTo("any")).isEqualTo(28 * CALLS);
  }

  @Test
  void answeredDeploymentIsNotCalledAgainWhileAnotherIsSilent() {
    places.silent.add("hot");
    CompletableFuture<Void> answered = begin("any", "hot");

    assertOneQuestionASecond("hot");
    assertThat(places.callsTo("any")).isZero();
    assertThat(answered).isNotDone();
  }

  @Test
  void bothDeploymentsAreCalledWhicheverAnswers() {
    places.silent.addAll(Set.of("any", "hot"));
    CompletableFuture<Void> answered = begin("any", "hot");
    places.silent.remove("hot");
    time.advance(Duration.ofSeconds(2));

    assertOneQuestionASecond("any");
    assertThat(places.callsTo("hot")).isZero();
    places.silent.clear();
    time.advance(Duration.ofSeconds(1));
    assertThat(answered).isCompleted();
  }

  @Test
  void noCallAfterClose() {
    places.silent.add("any");
    CompletableFuture<Void> answered = begin("any");
    closed = true;
    time.advance(Duration.ofSeconds(1));
    places.calls.clear();
    time.advance(MINUTE);

    assertThat(answered).isCompletedExceptionally();
    assertThat(places.calls).isEmpty();
  }
}
