package io.weir.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisAdvancedClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
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
final class ClusterLink implements Link {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterLink.class);
  private static final long LONGEST_WAIT_MILLIS = 1000;
  private static final long TRY_AGAIN_MILLIS = 1;
  private static final long HEARTBEAT_MILLIS = 1000;

  private final RedisClusterClient client;
  private final Deadlines deadlines;
  private final ScheduledExecutorService timer;
  private final ClusterNodes nodes;
  private final Unserved unserved;
  private final String addresses;
  private final NodeWatch.Circle circle;
  private final AtomicReferenceArray<Lane> lanes = new AtomicReferenceArray<>(SlotHash.SLOT_COUNT);
  private final CompletableFuture<Void> connected = new CompletableFuture<>();
  private volatile @Nullable StatefulRedisClusterConnection<byte[], byte[]> connection;
  private volatile @Nullable NodeWatch unreached;
  private volatile boolean closed;

  /**
   * A way to a Cluster.
   *
   * @param addresses where it is looked for at first, in words
   */
  ClusterLink(
      String addresses,
      RedisClusterClient client,
      NodeWatch.Circle circle,
      Deadlines deadlines,
      ScheduledExecutorService timer,
      Supplier<StoreClock> clocks) {
    this.addresses = addresses;
    this.client = client;
    this.deadlines = deadlines;
    this.timer = timer;
    this.circle = circle;
    this.nodes = new ClusterNodes(client, clocks, circle);
    this.unserved = new Unserved(addresses, client, circle);
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
        .thenCompose(nodes::meet)
        .orTimeout(Lettuce.PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
        .whenComplete(
            (done, problem) -> {
              if (closed) {
                fresh.closeAsync();
                return;
              }
              nodes.use(fresh);
              connection = fresh;
              reached();
              connected.complete(null);
              timer.scheduleWithFixedDelay(
                  () -> meet(fresh), HEARTBEAT_MILLIS, HEARTBEAT_MILLIS, TimeUnit.MILLISECONDS);
            });
  }

  /** A timer does not do again what has thrown once. */
  private void meet(StatefulRedisClusterConnection<byte[], byte[]> fresh) {
    try {
      unserved.look();
      nodes.meet(fresh);
    } catch (RuntimeException e) {
      LOG.warn("the nodes of the Cluster were not met; they will be in a second", e);
    }
  }

  private synchronized void connectLater(Throwable problem) {
    if (closed) {
      return;
    }
    NodeWatch all = unreached;
    if (all == null) {
      all = new NodeWatch(addresses, circle, CompletableFuture::new); // connect() asks
      unreached = all;
    }
    String reason = String.valueOf(Unanswered.because(problem).getMessage());
    all.lost("no node of the Cluster can be reached: " + Trouble.inLog(reason));
    long wait = ThreadLocalRandom.current().nextLong(LONGEST_WAIT_MILLIS / 2, LONGEST_WAIT_MILLIS);
    timer.schedule(this::connect, wait, TimeUnit.MILLISECONDS);
  }

  /** From now on each node speaks for itself. */
  private void reached() {
    NodeWatch all = unreached;
    if (all != null) {
      all.recovered();
    }
  }

  /** The slot: keys of one slot are on one node, and Redis lets a script touch only one slot. */
  @Override
  public int groupOf(byte[] key) {
    return SlotHash.getSlot(key);
  }

  @Override
  public CompletionStage<byte[]> run(Purpose purpose, Script script, byte[][] keys, byte[] args) {
    int slot = groupOf(keys[0]);
    NodeWatch node = connection == null ? null : nodes.watchOf(slot);
    boolean judged = purpose == Purpose.USE;
    if (node == null) {
      return CompletableFuture.failedFuture(judged ? nobody() : Unserved.nobody());
    }
    if (judged && !node.mayAsk()) {
      return CompletableFuture.failedFuture(node.kept());
    }
    if (!node.enter()) {
      return CompletableFuture.failedFuture(node.full());
    }
    Ask ask = deadlines.ask(node, purpose, script, keys, args);
    lane(slot).submit(ask);
    return ask;
  }

  @Override
  public boolean isAway(byte[] key) {
    NodeWatch node = connection == null ? null : nodes.watchOf(groupOf(key));
    return node == null || node.isKept();
  }

  /**
   * Why nobody is asked before the client knows any node, or where nobody serves a slot: it would
   * make callers wait for that.
   */
  private Unanswered nobody() {
    NodeWatch all = unreached;
    if (all != null && connection == null) {
      return all.away();
    }
    return connection == null ? unserved.call() : unserved.callOfSlot();
  }

  private Lane lane(int slot) {
    Lane lane = lanes.get(slot);
    if (lane == null) {
      lanes.compareAndSet(
          slot, null, new Lane((script, keys, args) -> send(slot, script, keys, args)));
      lane = lanes.get(slot);
    }
    return lane;
  }

  private CompletionStage<byte[]> send(int slot, Script script, byte[][] keys, byte[] args) {
    StatefulRedisClusterConnection<byte[], byte[]> now = connection;
    if (now == null) {
      return CompletableFuture.failedFuture(Unanswered.away("the Redis Cluster is away"));
    }
    byte[] timed = Packer.timed(nodes.clockOf(slot).micros(), args);
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
      return CompletableFuture.failedFuture(Unanswered.because(problem));
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
    NodeWatch all = unreached;
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
