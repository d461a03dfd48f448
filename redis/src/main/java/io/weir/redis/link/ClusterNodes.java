package io.weir.redis.link;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.protocol.DefaultEndpoint;
import io.weir.redis.call.NoAnswerException;
import io.weir.redis.call.NodeHealth;
import io.weir.redis.script.HealthProbe;
import io.weir.redis.script.Script;
import io.weir.redis.script.ScriptArguments;
import io.weir.redis.script.StoreClock;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * What is known of each primary of a Cluster: how it answers, what time it is there, and that it
 * has the scripts.
 */
final class ClusterNodes implements AutoCloseable {
  /** Checks that go unanswered before another connection is tried. */
  private static final int SILENT_CHECKS = 3;

  private final RedisClusterClient client;
  private final Supplier<StoreClock> clocks;
  private final NodeHealth.Context circle;
  private final ConcurrentHashMap<String, NodeEntry> known = new ConcurrentHashMap<>();
  private volatile @Nullable StatefulRedisClusterConnection<byte[], byte[]> connection;

  /** One node. */
  private final class NodeEntry {
    private final String host;
    private final int port;
    private final NodeHealth watch;
    private final StoreClock clock = clocks.get();
    private final AtomicInteger unanswered = new AtomicInteger();
    private final AtomicBoolean prepared = new AtomicBoolean();
    private final ProbeKey own = new ProbeKey();

    NodeEntry(RedisClusterNode node) {
      this.host = node.getUri().getHost();
      this.port = node.getUri().getPort();
      this.watch = new NodeHealth(host + ":" + port, circle, () -> check(node.getNodeId()));
    }

    private boolean isAt(RedisClusterNode node) {
      return node.getUri().getPort() == port && node.getUri().getHost().equals(host);
    }

    private boolean isAt(SocketAddress address) {
      return address instanceof InetSocketAddress there
          && there.getPort() == port
          && (there.getHostString().equals(host)
              || (there.getAddress() != null && there.getAddress().getHostAddress().equals(host)));
    }

    /**
     * Asks the node about a key of its own, on the connection that calls take too. To be told that
     * it serves that key no more is an answer: calls go elsewhere by then. A connection that stays
     * silent is given up for another.
     */
    private CompletionStage<?> check(String id) {
      StatefulRedisClusterConnection<byte[], byte[]> all = connection;
      if (all == null) {
        return CompletableFuture.failedFuture(
            NoAnswerException.unavailable("there is no connection"));
      }
      return all.getConnectionAsync(host, port)
          .thenCompose(
              there -> {
                if (unanswered.incrementAndGet() > SILENT_CHECKS) {
                  unanswered.set(0);
                  disconnect(there);
                }
                return ask(there, id);
              })
          .handle(
              (said, problem) -> {
                if (problem == null || isElsewhere(problem)) {
                  unanswered.set(0);
                  return null;
                }
                throw NoAnswerException.from(problem);
              });
    }

    /**
     * Leaves the scripts there, on the connection that calls take, and again whenever that has been
     * lost, as the node may have lost them too. Completes in any case: what could not be left there
     * goes with the first call that needs it.
     */
    private CompletionStage<Void> prepare(StatefulRedisClusterConnection<byte[], byte[]> all) {
      if (!prepared.compareAndSet(false, true)) {
        return CompletableFuture.completedFuture(null);
      }
      return CompletableFuture.completedFuture(all)
          .thenCompose(reached -> reached.getConnectionAsync(host, port))
          .handle(
              (there, problem) -> {
                if (problem != null) {
                  prepared.set(false);
                  return CompletableFuture.<Void>completedFuture(null);
                }
                there.addListener(
                    new RedisConnectionStateListener() {
                      @Override
                      public void onRedisConnected(
                          RedisChannelHandler<?, ?> same, SocketAddress at) {
                        leaveScripts(there);
                      }
                    });
                return leaveScripts(there);
              })
          .thenCompose(left -> left);
    }

    private CompletableFuture<Void> leaveScripts(StatefulRedisConnection<byte[], byte[]> there) {
      return PrimaryConnection.load(there.async())
          .exceptionally(problem -> null)
          .toCompletableFuture();
    }

    private NodeClock clockPeer(
        StatefulRedisConnection<byte[], byte[]> there, RedisClusterNode node) {
      return NodeClock.over(there.async(), HealthProbe.clockKey(own.keys(node)[0]));
    }

    private CompletionStage<byte[]> ask(StatefulRedisConnection<byte[], byte[]> there, String id) {
      byte[][] keys = own.keys(client.getPartitions().getPartitionByNodeId(id));
      byte[] args = ScriptArguments.timed(clock.micros(), HealthProbe.args());
      Script script = HealthProbe.SCRIPT;
      return there
          .async()
          .<byte[]>evalsha(script.digest(), ScriptOutputType.VALUE, keys, args)
          .exceptionallyCompose(
              problem ->
                  problem instanceof RedisNoScriptException
                      ? there.async().eval(script.text(), ScriptOutputType.VALUE, keys, args)
                      : CompletableFuture.failedFuture(problem));
    }
  }

  ClusterNodes(RedisClusterClient client, Supplier<StoreClock> clocks, NodeHealth.Context circle) {
    this.client = client;
    this.clocks = clocks;
    this.circle = circle;
  }

  private static boolean isElsewhere(Throwable problem) {
    String said = String.valueOf(NoAnswerException.from(problem).getMessage());
    return said.startsWith("MOVED") || said.startsWith("ASK") || said.startsWith("READONLY");
  }

  /** Closes a connection; the client makes another. */
  private static void disconnect(StatefulRedisConnection<byte[], byte[]> there) {
    if (there instanceof RedisChannelHandler<?, ?> handler
        && handler.getChannelWriter() instanceof DefaultEndpoint end) {
      end.disconnect();
    }
  }

  /** The node that a slot is served by, or null if nobody serves it. */
  @Nullable NodeHealth watchOf(int slot) {
    NodeEntry node = ofSlot(slot);
    return node == null ? null : node.watch;
  }

  StoreClock clockOf(int slot) {
    NodeEntry node = ofSlot(slot);
    return node == null ? StoreClock.OF_REDIS : node.clock;
  }

  private @Nullable NodeEntry ofSlot(int slot) {
    RedisClusterNode node = client.getPartitions().getPartitionBySlot(slot);
    return node == null ? null : known(node);
  }

  private NodeEntry known(RedisClusterNode node) {
    NodeEntry there = known.get(node.getNodeId());
    return there != null
        ? there
        : known.computeIfAbsent(node.getNodeId(), any -> new NodeEntry(node));
  }

  /** From now on nodes can be asked, on this connection. */
  void use(StatefulRedisClusterConnection<byte[], byte[]> fresh) {
    connection = fresh;
    client.addListener(
        new RedisConnectionStateListener() {
          @Override
          public void onRedisConnected(RedisChannelHandler<?, ?> any, SocketAddress address) {
            onConnect(address);
          }
        });
  }

  /** A node to which there is a new connection may be asked at once, if calls are kept from it. */
  private void onConnect(SocketAddress address) {
    for (NodeEntry node : known.values()) {
      if (node.isAt(address)) {
        node.watch.onConnect(false);
      }
    }
  }

  /**
   * Leaves the scripts with every node that is new, and asks all for their time where this
   * instance's clock has to follow it; completes once all have answered or refused. Replicas too:
   * they may be primaries at any moment. Nodes that have left are forgotten; so are those that have
   * moved, and are then met anew.
   */
  CompletionStage<Void> prepareNewNodes(StatefulRedisClusterConnection<byte[], byte[]> connection) {
    removeFormerNodes();
    List<CompletableFuture<?>> told = new ArrayList<>();
    for (RedisClusterNode node : client.getPartitions()) {
      told.add(known(node).prepare(connection).toCompletableFuture());
      if (known(node).clock instanceof OffsetClock clock) {
        // The client throws at once if the node has left since.
        told.add(
            CompletableFuture.completedFuture(connection)
                .thenCompose(all -> all.getConnectionAsync(node.getNodeId()))
                .thenCompose(there -> clock.measure(known(node).clockPeer(there, node))));
      }
    }
    return CompletableFuture.allOf(told.toArray(CompletableFuture[]::new));
  }

  private void removeFormerNodes() {
    Map<String, RedisClusterNode> here =
        StreamSupport.stream(client.getPartitions().spliterator(), false)
            .collect(Collectors.toMap(RedisClusterNode::getNodeId, node -> node, (a, b) -> a));
    if (here.isEmpty()) {
      return;
    }
    known.forEach(
        (id, node) -> {
          RedisClusterNode now = here.get(id);
          if (now == null || !node.isAt(now)) {
            known.remove(id);
            forget(node);
          }
        });
  }

  /** A node that was set up anew has another id, and may have taken its place meanwhile. */
  private void forget(NodeEntry node) {
    if (known.values().stream().anyMatch(other -> other.watch.node().equals(node.watch.node()))) {
      node.watch.close();
    } else {
      node.watch.onRemoved();
    }
  }

  @Override
  public void close() {
    known.values().forEach(node -> node.watch.close());
  }
}
