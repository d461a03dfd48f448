package io.weir.redis.call;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.weir.redis.link.ScriptRunner;
import io.weir.redis.script.Script;
import io.weir.redis.script.ScriptArguments;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongSupplier;

/**
 * Runs scripts on one Redis through a real {@link CallBatcher}. It sends nothing until {@link
 * #release}, so that calls share script calls, and records the order in which they were batched.
 */
final class BatchingRunner implements ScriptRunner {
  private final RedisClient client;
  private final RedisCommands<byte[], byte[]> commands;
  private final LongSupplier clock;

  /** One call at a time: a client used by several threads may change their order. */
  private final ExecutorService node = Executors.newSingleThreadExecutor();

  private final NodeHealth health = NodeHealthFixture.quiet("node");
  private final Map<byte[], Integer> calls = new IdentityHashMap<>();
  private final List<Integer> order = new ArrayList<>();
  private final Map<Script, Integer> shared = new EnumMap<>(Script.class);
  private final List<Runnable> held = new ArrayList<>();
  private final CallBatcher batcher = new CallBatcher(this::send);
  private boolean keeps;
  private int asked;

  BatchingRunner(String uri, LongSupplier clock) {
    this.client = RedisClient.create(uri);
    this.commands = client.connect(ByteArrayCodec.INSTANCE).sync();
    this.clock = clock;
    for (Script script : Script.values()) {
      commands.scriptLoad(script.text());
    }
  }

  /** From now on calls wait for {@link #release}, and are numbered from 0. */
  synchronized void hold() {
    keeps = true;
    asked = 0;
    calls.clear();
    order.clear();
  }

  /** Sends the waiting calls and any follow-up calls. */
  synchronized void release() {
    keeps = false;
    held.forEach(node::execute);
    held.clear();
  }

  /** The numbers of the calls, in the order in which the scripts decide them. */
  synchronized List<Integer> order() {
    return List.copyOf(order);
  }

  /** The number of script calls that several calls shared. */
  synchronized int shared(Script script) {
    return shared.getOrDefault(script, 0);
  }

  @Override
  public int groupOf(byte[] key) {
    return 0;
  }

  @Override
  public CompletionStage<byte[]> run(
      CallPurpose purpose, Script script, byte[][] keys, byte[] args) {
    byte[][] own = new byte[keys.length][];
    synchronized (this) {
      for (int i = 0; i < keys.length; i++) {
        own[i] = keys[i].clone();
        calls.put(own[i], asked);
      }
      asked++;
    }
    PendingCall pending =
        new PendingCall(health, CallPurpose.USE, script, own, args, System.nanoTime());
    batcher.submit(pending);
    return pending;
  }

  private synchronized CompletionStage<byte[]> send(Script script, byte[][] keys, byte[] args) {
    int first = order.size();
    for (byte[] key : keys) {
      int pending = calls.get(key);
      if (order.size() == first || order.get(order.size() - 1) != pending) {
        order.add(pending);
      }
    }
    if (order.size() > first + 1) {
      shared.merge(script, 1, Integer::sum);
    }
    byte[] timed = ScriptArguments.timed(clock.getAsLong(), args);
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    Runnable call = () -> eval(script, keys, timed, answer);
    if (keeps) {
      held.add(call);
    } else {
      node.execute(call);
    }
    return answer;
  }

  private void eval(Script script, byte[][] keys, byte[] timed, CompletableFuture<byte[]> to) {
    try {
      to.complete(commands.evalsha(script.digest(), ScriptOutputType.VALUE, keys, timed));
    } catch (RuntimeException e) {
      to.completeExceptionally(e);
    }
  }

  @Override
  public CompletionStage<Void> connected() {
    return CompletableFuture.completedFuture(null);
  }

  /** Does nothing: the stores of many tests share this runner. */
  @Override
  public void close() {}

  void end() {
    node.shutdownNow();
    client.shutdown();
  }
}
