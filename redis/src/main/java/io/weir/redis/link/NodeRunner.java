package io.weir.redis.link;

import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.weir.redis.call.CallBatcher;
import io.weir.redis.call.CallPurpose;
import io.weir.redis.call.DeadlineQueue;
import io.weir.redis.call.NoAnswerException;
import io.weir.redis.call.NodeHealth;
import io.weir.redis.call.PendingCall;
import io.weir.redis.script.HealthProbe;
import io.weir.redis.script.Script;
import io.weir.redis.script.ScriptArguments;
import io.weir.redis.script.StoreClock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Runs scripts on one primary: a single Redis, the master that Sentinels name, or a node of a ring.
 */
final class NodeRunner implements ScriptRunner {
  private final NodeHealth health;
  private final PrimaryConnection primary;
  private final DeadlineQueue deadlines;
  private final StoreClock clock;
  private final CallBatcher batcher = new CallBatcher(this::send);

  /**
   * A runner for a node.
   *
   * @param connect starts to connect to the node whose health it is given
   */
  NodeRunner(
      String name,
      NodeHealth.Context context,
      DeadlineQueue deadlines,
      StoreClock clock,
      Function<NodeHealth, PrimaryConnection> connect) {
    this.deadlines = deadlines;
    this.clock = clock;
    this.health = new NodeHealth(name, context, this::probe);
    this.primary = connect.apply(health);
  }

  private CompletionStage<byte[]> probe() {
    return send(HealthProbe.SCRIPT, HealthProbe.keys(), HealthProbe.args());
  }

  @Override
  public int groupOf(byte[] key) {
    return 0;
  }

  @Override
  public CompletionStage<byte[]> run(
      CallPurpose purpose, Script script, byte[][] keys, byte[] args) {
    boolean isUse = purpose == CallPurpose.USE;
    if (isUse && primary.live() == null) {
      return CompletableFuture.failedFuture(health.rejectUnavailable());
    }
    if (isUse && !health.tryPass()) {
      return CompletableFuture.failedFuture(health.rejectByBreaker());
    }
    if (!health.enter()) {
      return CompletableFuture.failedFuture(health.rejectQueueFull());
    }
    PendingCall call = deadlines.enqueue(health, purpose, script, keys, args);
    batcher.submit(call);
    return call;
  }

  @Override
  public boolean isUnavailable(byte[] key) {
    return primary.live() == null || health.isBreakerOpen();
  }

  private CompletionStage<byte[]> send(Script script, byte[][] keys, byte[] args) {
    PrimaryConnection.LiveConnection live = primary.live();
    if (live == null) {
      return CompletableFuture.failedFuture(
          NoAnswerException.unavailable(health.node() + " is unavailable"));
    }
    byte[] timed = ScriptArguments.timed(clock.micros(), args);
    return live.commands()
        .<byte[]>evalsha(script.digest(), ScriptOutputType.VALUE, keys, timed)
        .exceptionallyCompose(
            problem ->
                problem instanceof RedisNoScriptException
                    ? live.commands()
                        .<byte[]>eval(script.text(), ScriptOutputType.VALUE, keys, timed)
                        .exceptionallyCompose(again -> failed(live, again))
                    : failed(live, problem));
  }

  private static CompletionStage<byte[]> failed(
      PrimaryConnection.LiveConnection live, Throwable problem) {
    NoAnswerException reason = NoAnswerException.from(problem);
    if (reason.kind() == NoAnswerException.Kind.READONLY) {
      live.drop("it is not a primary");
    }
    return CompletableFuture.failedFuture(reason);
  }

  @Override
  public CompletionStage<Void> connected() {
    return primary.connected();
  }

  @Override
  public void close() {
    health.close();
    primary.close();
  }
}
