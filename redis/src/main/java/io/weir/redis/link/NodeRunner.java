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

/** The way to one primary: one Redis, the master that Sentinels name, or a node of a ring. */
final class NodeRunner implements ScriptRunner {
  private final NodeHealth node;
  private final PrimaryConnection primary;
  private final DeadlineQueue deadlines;
  private final StoreClock clock;
  private final CallBatcher lane = new CallBatcher(this::send);

  /**
   * A way to a node.
   *
   * @param reach begins to reach for the node that it is given
   */
  NodeRunner(
      String name,
      NodeHealth.Context circle,
      DeadlineQueue deadlines,
      StoreClock clock,
      Function<NodeHealth, PrimaryConnection> reach) {
    this.deadlines = deadlines;
    this.clock = clock;
    this.node = new NodeHealth(name, circle, this::check);
    this.primary = reach.apply(node);
  }

  private CompletionStage<byte[]> check() {
    return send(HealthProbe.SCRIPT, HealthProbe.keys(), HealthProbe.args());
  }

  @Override
  public int groupOf(byte[] key) {
    return 0;
  }

  @Override
  public CompletionStage<byte[]> run(
      CallPurpose purpose, Script script, byte[][] keys, byte[] args) {
    boolean judged = purpose == CallPurpose.USE;
    if (judged && primary.live() == null) {
      return CompletableFuture.failedFuture(node.rejectUnavailable());
    }
    if (judged && !node.tryPass()) {
      return CompletableFuture.failedFuture(node.rejectByBreaker());
    }
    if (!node.enter()) {
      return CompletableFuture.failedFuture(node.rejectQueueFull());
    }
    PendingCall ask = deadlines.enqueue(node, purpose, script, keys, args);
    lane.submit(ask);
    return ask;
  }

  @Override
  public boolean isUnavailable(byte[] key) {
    return primary.live() == null || node.isBreakerOpen();
  }

  private CompletionStage<byte[]> send(Script script, byte[][] keys, byte[] args) {
    PrimaryConnection.LiveConnection live = primary.live();
    if (live == null) {
      return CompletableFuture.failedFuture(
          NoAnswerException.unavailable(node.node() + " is away"));
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
      live.drop("it is no primary");
    }
    return CompletableFuture.failedFuture(reason);
  }

  @Override
  public CompletionStage<Void> connected() {
    return primary.connected();
  }

  @Override
  public void close() {
    node.close();
    primary.close();
  }
}
