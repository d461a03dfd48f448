package io.weir.redis;

import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** The way to one primary: one Redis, the master that Sentinels name, or a node of a ring. */
final class NodeLink implements Link {
  private final NodeWatch node;
  private final Primary primary;
  private final Deadlines deadlines;
  private final StoreClock clock;
  private final Lane lane = new Lane(this::send);

  /**
   * A way to a node.
   *
   * @param reach begins to reach for the node that it is given
   */
  NodeLink(
      String name,
      NodeWatch.Circle circle,
      Deadlines deadlines,
      StoreClock clock,
      Function<NodeWatch, Primary> reach) {
    this.deadlines = deadlines;
    this.clock = clock;
    this.node = new NodeWatch(name, circle, this::check);
    this.primary = reach.apply(node);
  }

  private CompletionStage<byte[]> check() {
    return send(CheckCall.SCRIPT, CheckCall.keys(), CheckCall.args());
  }

  @Override
  public int groupOf(byte[] key) {
    return 0;
  }

  @Override
  public CompletionStage<byte[]> run(Purpose purpose, Script script, byte[][] keys, byte[] args) {
    boolean judged = purpose == Purpose.USE;
    if (judged && primary.live() == null) {
      return CompletableFuture.failedFuture(node.away());
    }
    if (judged && !node.mayAsk()) {
      return CompletableFuture.failedFuture(node.kept());
    }
    if (!node.enter()) {
      return CompletableFuture.failedFuture(node.full());
    }
    Ask ask = deadlines.ask(node, purpose, script, keys, args);
    lane.submit(ask);
    return ask;
  }

  @Override
  public boolean isAway(byte[] key) {
    return primary.live() == null || node.isKept();
  }

  private CompletionStage<byte[]> send(Script script, byte[][] keys, byte[] args) {
    Primary.Live live = primary.live();
    if (live == null) {
      return CompletableFuture.failedFuture(Unanswered.away(node.node() + " is away"));
    }
    byte[] timed = Packer.timed(clock.micros(), args);
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

  private static CompletionStage<byte[]> failed(Primary.Live live, Throwable problem) {
    Unanswered reason = Unanswered.because(problem);
    if (reason.kind() == Unanswered.Kind.READONLY) {
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
