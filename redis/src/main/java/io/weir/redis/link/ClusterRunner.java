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
 * The way to a Redis Cluster: a lane per slot, over one connection per primary.
 *
 * <p>The client follows the topology: it asks for it every other second and whenever a node
 * redirects or is lost. Replicas are never asked; they would redirect. While nobody there was ever
 * reached, no node is known, and the addresses of the Cluster stand for all of them.
 */
final class ClusterRunner implements ScriptRunner {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterRunner.class);
  private static final long LONGEST_WAIT_MILLIS = 1000;
  private static final long TRY_AGAIN_MILLIS = 1;
  private static final long HEARTBEAT_MILLIS = 1000;

  private final RedisClusterClient client;
  private final DeadlineQueue deadlines;
  private final ScheduledExecutorService timer;
  private final ClusterNodes nodes;
  private final UnservedSlots unserved;
  private final String addresses;
  private final NodeHealth.Context circle;
  private final AtomicReferenceArray<CallBatcher> lanes =
      new AtomicReferenceArray<>(SlotHash.SLOT_COUNT);
  private final CompletableFuture<Void> connected = new CompletableFuture<>();
  private volatile @Nullable StatefulRedisClusterConnection<byte[], byte[]> connection;
  private volatile @Nullable NodeHealth unreached;
  private volatile boolean closed;

  /**
   * A way to a Cluster.
   *
   * @param addresses where it is looked for at first, in words
   */
  ClusterRunner(
      String addresses,
      RedisClusterClient client,
      NodeHealth.Context circle,
      DeadlineQueue deadlines,
      ScheduledExecutorService timer,
      Supplier<StoreClock> clocks) {
    this.addresses = addresses;
    this.client = client;
    this.deadlines = deadlines;
    this.timer = timer;
    this.circle = circle;
    this.nodes = new ClusterNodes(client, clocks, circle);
    this.unserved = new UnservedSlots(addresses, client, circle);
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
    // A node that is away gets the scripts when it is back. None of those that are there is asked
    // before the time there is known; one that joins is, by the wall clock, until it is met.
    CompletableFuture.completedFuture(fresh)
        .thenCompose(nodes::prepareNewNodes)
        .orTimeout(LettuceConfig.PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
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

  /** A timer does not do again what has thrown once. */
  private void prepareNewNodes(StatefulRedisClusterConnection<byte[], byte[]> fresh) {
    try {
      unserved.checkSlots();
      nodes.prepareNewNodes(fresh);
    } catch (RuntimeException e) {
      LOG.warn("the nodes of the Cluster were not met; they will be in a second", e);
    }
  }

  private synchronized void connectLater(Throwable problem) {
    if (closed) {
      return;
    }
    NodeHealth all = unreached;
    if (all == null) {
      all = new NodeHealth(addresses, circle, CompletableFuture::new); // connect() asks
      unreached = all;
    }
    String reason = String.valueOf(NoAnswerException.from(problem).getMessage());
    all.onDisconnect("no node of the Cluster can be reached: " + RedisErrors.inLog(reason));
    long wait = ThreadLocalRandom.current().nextLong(LONGEST_WAIT_MILLIS / 2, LONGEST_WAIT_MILLIS);
    timer.schedule(this::connect, wait, TimeUnit.MILLISECONDS);
  }

  /** From now on each node speaks for itself. */
  private void onConnect() {
    NodeHealth all = unreached;
    if (all != null) {
      all.onRecovery();
    }
  }

  /** The slot: keys of one slot are on one node, and Redis lets a script touch only one slot. */
  @Override
  public int groupOf(byte[] key) {
    return SlotHash.getSlot(key);
  }

  @Override
  public CompletionStage<byte[]> run(
      CallPurpose purpose, Script script, byte[][] keys, byte[] args) {
    int slot = groupOf(keys[0]);
    NodeHealth node = connection == null ? null : nodes.watchOf(slot);
    boolean judged = purpose == CallPurpose.USE;
    if (node == null) {
      return CompletableFuture.failedFuture(judged ? noNode() : UnservedSlots.noNode());
    }
    if (judged && !node.tryPass()) {
      return CompletableFuture.failedFuture(node.rejectByBreaker());
    }
    if (!node.enter()) {
      return CompletableFuture.failedFuture(node.rejectQueueFull());
    }
    PendingCall ask = deadlines.enqueue(node, purpose, script, keys, args);
    lane(slot).submit(ask);
    return ask;
  }

  @Override
  public boolean isUnavailable(byte[] key) {
    NodeHealth node = connection == null ? null : nodes.watchOf(groupOf(key));
    return node == null || node.isBreakerOpen();
  }

  /**
   * Why nobody is asked before the client knows any node, or where nobody serves a slot: it would
   * make callers wait for that.
   */
  private NoAnswerException noNode() {
    NodeHealth all = unreached;
    if (all != null && connection == null) {
      return all.rejectUnavailable();
    }
    return connection == null ? unserved.rejectUnserved() : unserved.callOfSlot();
  }

  private CallBatcher lane(int slot) {
    CallBatcher lane = lanes.get(slot);
    if (lane == null) {
      lanes.compareAndSet(
          slot, null, new CallBatcher((script, keys, args) -> send(slot, script, keys, args)));
      lane = lanes.get(slot);
    }
    return lane;
  }

  private CompletionStage<byte[]> send(int slot, Script script, byte[][] keys, byte[] args) {
    StatefulRedisClusterConnection<byte[], byte[]> now = connection;
    if (now == null) {
      return CompletableFuture.failedFuture(
          NoAnswerException.unavailable("the Redis Cluster is away"));
    }
    byte[] timed = ScriptArguments.timed(nodes.clockOf(slot).micros(), args);
    RedisAdvancedClusterAsyncCommands<byte[], byte[]> commands = now.async();
    long giveUp = System.nanoTime() + deadlines.timeoutNanos();
    return commands
        .<byte[]>evalsha(script.digest(), ScriptOutputType.VALUE, keys, timed)
        .exceptionallyCompose(problem -> recover(commands, problem, script, keys, timed, giveUp));
  }

  /**
   * Tries again what was certainly not applied: the script was missing, or its keys were on the
   * move.
   */
  private CompletionStage<byte[]> recover(
      RedisAdvancedClusterAsyncCommands<byte[], byte[]> commands,
      Throwable problem,
      Script script,
      byte[][] keys,
      byte[] timed,
      long giveUp) {
    if (problem instanceof RedisNoScriptException) {
      return commands
          .<byte[]>eval(script.text(), ScriptOutputType.VALUE, keys, timed)
          .exceptionallyCompose(again -> recover(commands, again, script, keys, timed, giveUp));
    }
    boolean moving =
        problem instanceof RedisCommandExecutionException
            && String.valueOf(problem.getMessage()).startsWith("TRYAGAIN");
    if (!moving || System.nanoTime() - giveUp > 0) {
      return CompletableFuture.failedFuture(NoAnswerException.from(problem));
    }
    CompletableFuture<Void> pause = new CompletableFuture<>();
    timer.schedule(() -> pause.complete(null), TRY_AGAIN_MILLIS, TimeUnit.MILLISECONDS);
    return pause
        .thenCompose(
            rested ->
                commands.<byte[]>evalsha(script.digest(), ScriptOutputType.VALUE, keys, timed))
        .exceptionallyCompose(
            again -> recover(commands, unwrapped(again), script, keys, timed, giveUp));
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
