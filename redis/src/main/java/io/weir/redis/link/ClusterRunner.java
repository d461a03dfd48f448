package io.weir.redis.link;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisAdvancedClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.weir.redis.call.CallBatcher;
import io.weir.redis.call.CallPurpose;
import io.weir.redis.call.DeadlineQueue;
import io.weir.redis.call.NoAnswerException;
import io.weir.redis.call.NodeHealth;
import io.weir.redis.call.PendingCall;
import io.weir.redis.call.RedisErrors;
import io.weir.redis.script.Script;
import io.weir.redis.script.ScriptArguments;
import io.weir.redis.script.StoreClock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs scripts on a Redis Cluster: one batcher per slot, over one connection per primary.
 *
 * <p>The client follows the topology: it refreshes it every two seconds, and whenever a node
 * redirects or a connection is lost. Replicas get no calls; they would redirect. Until a first node
 * is reached no node is known, and the addresses of the Cluster stand for all of them.
 */
final class ClusterRunner implements ScriptRunner {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterRunner.class);
  private static final long MAX_WAIT_MILLIS = 1000;
  private static final long RETRY_MILLIS = 1;
  private static final long HEARTBEAT_MILLIS = 1000;

  private final RedisClusterClient client;
  private final DeadlineQueue deadlines;
  private final ScheduledExecutorService timer;
  private final ClusterNodes nodes;
  private final UnservedSlots unserved;
  private final String addresses;
  private final NodeHealth.Context context;
  private final AtomicReferenceArray<CallBatcher> batchers =
      new AtomicReferenceArray<>(SlotHash.SLOT_COUNT);
  private final CompletableFuture<Void> connected = new CompletableFuture<>();
  private volatile @Nullable StatefulRedisClusterConnection<byte[], byte[]> connection;
  private volatile @Nullable NodeHealth unreached;
  private volatile boolean closed;

  /**
   * A runner for a Cluster.
   *
   * @param addresses the configured addresses, as text
   */
  ClusterRunner(
      String addresses,
      RedisClusterClient client,
      NodeHealth.Context context,
      DeadlineQueue deadlines,
      ScheduledExecutorService timer,
      Supplier<StoreClock> clocks) {
    this.addresses = addresses;
    this.client = client;
    this.deadlines = deadlines;
    this.timer = timer;
    this.context = context;
    this.nodes = new ClusterNodes(client, clocks, context);
    this.unserved = new UnservedSlots(addresses, client, context);
    connect();
  }

  private void connect() {
    if (closed) {
      return;
    }
    client
        .refreshPartitionsAsync()
        .thenCompose(known -> client.connectAsync(ByteArrayCodec.INSTANCE))
        .whenComplete(
            (fresh, problem) -> {
              if (problem == null) {
                use(fresh);
              } else {
                connectLater(problem);
              }
            });
  }

  private void use(StatefulRedisClusterConnection<byte[], byte[]> fresh) {
    // An unavailable node gets the scripts when it is back. No available node is called before
    // its time is known. A node that joins later is called by the wall clock until it has been
    // prepared.
    CompletableFuture.completedFuture(fresh)
        .thenCompose(nodes::prepareNewNodes)
        .orTimeout(LettuceConfig.CONNECT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
        .whenComplete(
            (done, problem) -> {
              if (closed) {
                fresh.closeAsync();
                return;
              }
              nodes.use(fresh);
              connection = fresh;
              onConnect();
              connected.complete(null);
              timer.scheduleWithFixedDelay(
                  () -> prepareNewNodes(fresh),
                  HEARTBEAT_MILLIS,
                  HEARTBEAT_MILLIS,
                  TimeUnit.MILLISECONDS);
            });
  }

  /** Catches exceptions, because a timer cancels a task that throws. */
  private void prepareNewNodes(StatefulRedisClusterConnection<byte[], byte[]> fresh) {
    try {
      unserved.checkSlots();
      nodes.prepareNewNodes(fresh);
    } catch (RuntimeException e) {
      LOG.warn("preparing the nodes of the Redis Cluster failed; retrying in 1 s", e);
    }
  }

  private synchronized void connectLater(Throwable problem) {
    if (closed) {
      return;
    }
    NodeHealth all = unreached;
    if (all == null) {
      all = new NodeHealth(addresses, context, CompletableFuture::new); // connect() is the probe
      unreached = all;
    }
    String reason = String.valueOf(NoAnswerException.from(problem).getMessage());
    all.onDisconnect("no node of the Cluster can be reached: " + RedisErrors.inLog(reason));
    long wait = ThreadLocalRandom.current().nextLong(MAX_WAIT_MILLIS / 2, MAX_WAIT_MILLIS);
    timer.schedule(this::connect, wait, TimeUnit.MILLISECONDS);
  }

  /** From now on each node has its own health. */
  private void onConnect() {
    NodeHealth all = unreached;
    if (all != null) {
      all.onRecovery();
    }
  }

  /**
   * The slot: keys of one slot are on one node, and Redis allows a script to touch only one slot.
   */
  @Override
  public int groupOf(byte[] key) {
    return SlotHash.getSlot(key);
  }

  @Override
  public CompletionStage<byte[]> run(
      CallPurpose purpose, Script script, byte[][] keys, byte[] args) {
    int slot = groupOf(keys[0]);
    NodeHealth node = connection == null ? null : nodes.healthOf(slot);
    boolean isUse = purpose == CallPurpose.USE;
    if (node == null) {
      return CompletableFuture.failedFuture(isUse ? noNode() : UnservedSlots.noNode());
    }
    if (isUse && !node.tryPass()) {
      return CompletableFuture.failedFuture(node.rejectByBreaker());
    }
    if (!node.enter()) {
      return CompletableFuture.failedFuture(node.rejectQueueFull());
    }
    PendingCall call = deadlines.enqueue(node, purpose, script, keys, args);
    batcher(slot).submit(call);
    return call;
  }

  @Override
  public boolean isUnavailable(byte[] key) {
    NodeHealth node = connection == null ? null : nodes.healthOf(groupOf(key));
    return node == null || node.isBreakerOpen();
  }

  /**
   * Rejects a call before any node is known, or to a slot that no node serves; the client would
   * make the caller wait.
   */
  private NoAnswerException noNode() {
    NodeHealth all = unreached;
    if (all != null && connection == null) {
      return all.rejectUnavailable();
    }
    return connection == null ? unserved.rejectUnserved() : unserved.rejectSlot();
  }

  private CallBatcher batcher(int slot) {
    CallBatcher batcher = batchers.get(slot);
    if (batcher == null) {
      batchers.compareAndSet(
          slot, null, new CallBatcher((script, keys, args) -> send(slot, script, keys, args)));
      batcher = batchers.get(slot);
    }
    return batcher;
  }

  private CompletionStage<byte[]> send(int slot, Script script, byte[][] keys, byte[] args) {
    StatefulRedisClusterConnection<byte[], byte[]> now = connection;
    if (now == null) {
      return CompletableFuture.failedFuture(
          NoAnswerException.unavailable("the Redis Cluster is unavailable"));
    }
    byte[] timed = ScriptArguments.timed(nodes.clockOf(slot).micros(), args);
    RedisAdvancedClusterAsyncCommands<byte[], byte[]> commands = now.async();
    long deadlineNanos = System.nanoTime() + deadlines.timeoutNanos();
    return commands
        .<byte[]>evalsha(script.digest(), ScriptOutputType.VALUE, keys, timed)
        .exceptionallyCompose(
            problem -> recover(commands, problem, script, keys, timed, deadlineNanos));
  }

  /**
   * Retries a call that was certainly not applied: the script was missing, or its keys were being
   * migrated.
   */
  private CompletionStage<byte[]> recover(
      RedisAdvancedClusterAsyncCommands<byte[], byte[]> commands,
      Throwable problem,
      Script script,
      byte[][] keys,
      byte[] timed,
      long deadlineNanos) {
    if (problem instanceof RedisNoScriptException) {
      return commands
          .<byte[]>eval(script.text(), ScriptOutputType.VALUE, keys, timed)
          .exceptionallyCompose(
              again -> recover(commands, again, script, keys, timed, deadlineNanos));
    }
    boolean migrating =
        problem instanceof RedisCommandExecutionException
            && String.valueOf(problem.getMessage()).startsWith("TRYAGAIN");
    if (!migrating || System.nanoTime() - deadlineNanos > 0) {
      return CompletableFuture.failedFuture(NoAnswerException.from(problem));
    }
    CompletableFuture<Void> pause = new CompletableFuture<>();
    timer.schedule(() -> pause.complete(null), RETRY_MILLIS, TimeUnit.MILLISECONDS);
    return pause
        .thenCompose(
            waited ->
                commands.<byte[]>evalsha(script.digest(), ScriptOutputType.VALUE, keys, timed))
        .exceptionallyCompose(
            again -> recover(commands, unwrapped(again), script, keys, timed, deadlineNanos));
  }

  private static Throwable unwrapped(Throwable problem) {
    Throwable cause = problem.getCause();
    return problem instanceof CompletionException && cause != null ? cause : problem;
  }

  @Override
  public CompletionStage<Void> connected() {
    return connected;
  }

  @Override
  public void close() {
    closed = true;
    NodeHealth all = unreached;
    if (all != null) {
      all.close();
    }
    unserved.close();
    nodes.close();
    StatefulRedisClusterConnection<byte[], byte[]> last = connection;
    connection = null;
    if (last != null) {
      last.closeAsync();
    }
  }
}
