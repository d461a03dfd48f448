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

/** State of each node of a Cluster: its health, its clock, and whether it has the scripts. */
final class ClusterNodes implements AutoCloseable {
  /** Unanswered probes after which the connection is replaced. */
  private static final int MAX_SILENT_PROBES = 3;

  private final RedisClusterClient client;
  private final Supplier<StoreClock> clocks;
  private final NodeHealth.Context context;
  private final ConcurrentHashMap<String, NodeEntry> known = new ConcurrentHashMap<>();
  private volatile @Nullable StatefulRedisClusterConnection<byte[], byte[]> connection;

  /** One node. */
  private final class NodeEntry {
    private final String host;
    private final int port;
    private final NodeHealth health;
    private final StoreClock clock = clocks.get();
    private final AtomicInteger unanswered = new AtomicInteger();
    private final AtomicBoolean prepared = new AtomicBoolean();
    private final ProbeKey probeKey = new ProbeKey();

    NodeEntry(RedisClusterNode node) {
      this.host = node.getUri().getHost();
      this.port = node.getUri().getPort();
      this.health = new NodeHealth(host + ":" + port, context, () -> probe(node.getNodeId()));
    }

    private boolean isAt(RedisClusterNode node) {
      return node.getUri().getPort() == port && node.getUri().getHost().equals(host);
    }

    private boolean isAt(SocketAddress address) {
      return address instanceof InetSocketAddress link
          && link.getPort() == port
          && (link.getHostString().equals(host)
              || (link.getAddress() != null && link.getAddress().getHostAddress().equals(host)));
    }

    /**
     * Probes the node with a key that it serves, on the connection that calls use too. A redirect
     * is an answer: calls go to another node by then. A connection without replies is replaced.
     */
    private CompletionStage<?> probe(String id) {
      StatefulRedisClusterConnection<byte[], byte[]> all = connection;
      if (all == null) {
        return CompletableFuture.failedFuture(
            NoAnswerException.unavailable("there is no connection"));
      }
      return all.getConnectionAsync(host, port)
          .thenCompose(
              link -> {
                if (unanswered.incrementAndGet() > MAX_SILENT_PROBES) {
                  unanswered.set(0);
                  disconnect(link);
                }
                return sendProbe(link, id);
              })
          .handle(
              (message, problem) -> {
                if (problem == null || isRedirect(problem)) {
                  unanswered.set(0);
                  return null;
                }
                throw NoAnswerException.from(problem);
              });
    }

    /**
     * Loads the scripts, on the connection that calls use, and again after every reconnect, as the
     * node may have lost them too. Always completes: a script that could not be loaded is sent with
     * the first call that needs it.
     */
    private CompletionStage<Void> prepare(StatefulRedisClusterConnection<byte[], byte[]> all) {
      if (!prepared.compareAndSet(false, true)) {
        return CompletableFuture.completedFuture(null);
      }
      return CompletableFuture.completedFuture(all)
          .thenCompose(reached -> reached.getConnectionAsync(host, port))
          .handle(
              (link, problem) -> {
                if (problem != null) {
                  prepared.set(false);
                  return CompletableFuture.<Void>completedFuture(null);
                }
                link.addListener(
                    new RedisConnectionStateListener() {
                      @Override
                      public void onRedisConnected(
                          RedisChannelHandler<?, ?> same, SocketAddress at) {
                        loadScripts(link);
                      }
                    });
                return loadScripts(link);
              })
          .thenCompose(loaded -> loaded);
    }

    private CompletableFuture<Void> loadScripts(StatefulRedisConnection<byte[], byte[]> link) {
      return PrimaryConnection.load(link.async())
          .exceptionally(problem -> null)
          .toCompletableFuture();
    }

    private NodeClock nodeClock(
        StatefulRedisConnection<byte[], byte[]> link, RedisClusterNode node) {
      return NodeClock.over(link.async(), HealthProbe.clockKey(probeKey.keys(node)[0]));
    }

    private CompletionStage<byte[]> sendProbe(
        StatefulRedisConnection<byte[], byte[]> link, String id) {
      byte[][] keys = probeKey.keys(client.getPartitions().getPartitionByNodeId(id));
      byte[] args = ScriptArguments.timed(clock.micros(), HealthProbe.args());
      Script script = HealthProbe.SCRIPT;
      return link.async()
          .<byte[]>evalsha(script.digest(), ScriptOutputType.VALUE, keys, args)
          .exceptionallyCompose(
              problem ->
                  problem instanceof RedisNoScriptException
                      ? link.async().eval(script.text(), ScriptOutputType.VALUE, keys, args)
                      : CompletableFuture.failedFuture(problem));
    }
  }

  ClusterNodes(RedisClusterClient client, Supplier<StoreClock> clocks, NodeHealth.Context context) {
    this.client = client;
    this.clocks = clocks;
    this.context = context;
  }

  private static boolean isRedirect(Throwable problem) {
    String message = String.valueOf(NoAnswerException.from(problem).getMessage());
    return message.startsWith("MOVED")
        || message.startsWith("ASK")
        || message.startsWith("READONLY");
  }

  /** Closes a connection; the client opens another. */
  private static void disconnect(StatefulRedisConnection<byte[], byte[]> link) {
    if (link instanceof RedisChannelHandler<?, ?> handler
        && handler.getChannelWriter() instanceof DefaultEndpoint end) {
      end.disconnect();
    }
  }

  /** The health of the node that serves a slot, or null if no node does. */
  @Nullable NodeHealth healthOf(int slot) {
    NodeEntry node = ofSlot(slot);
    return node == null ? null : node.health;
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
    NodeEntry link = known.get(node.getNodeId());
    return link != null
        ? link
        : known.computeIfAbsent(node.getNodeId(), any -> new NodeEntry(node));
  }

  /** Enables probes, on this connection. */
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

  /** Probes a node at once when there is a new connection to it, if its breaker is open. */
  private void onConnect(SocketAddress address) {
    for (NodeEntry node : known.values()) {
      if (node.isAt(address)) {
        node.health.onConnect(false);
      }
    }
  }

  /**
   * Loads the scripts on every new node. If this instance's clock follows that of Redis, also
   * measures the time of all nodes. Completes once all have replied or refused. Includes replicas,
   * which may become primaries at any moment. Nodes that have left are removed. So are nodes whose
   * address changed, which are then added as new.
   */
  CompletionStage<Void> prepareNewNodes(StatefulRedisClusterConnection<byte[], byte[]> connection) {
    removeFormerNodes();
    List<CompletableFuture<?>> done = new ArrayList<>();
    for (RedisClusterNode node : client.getPartitions()) {
      done.add(known(node).prepare(connection).toCompletableFuture());
      if (known(node).clock instanceof OffsetClock clock) {
        // The client throws at once if the node has left in the meantime.
        done.add(
            CompletableFuture.completedFuture(connection)
                .thenCompose(all -> all.getConnectionAsync(node.getNodeId()))
                .thenCompose(link -> clock.measure(known(node).nodeClock(link, node))));
      }
    }
    return CompletableFuture.allOf(done.toArray(CompletableFuture[]::new));
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
            remove(node);
          }
        });
  }

  /** A node that was set up anew has another id, and may have the same address as this one. */
  private void remove(NodeEntry node) {
    if (known.values().stream().anyMatch(other -> other.health.node().equals(node.health.node()))) {
      node.health.close();
    } else {
      node.health.onRemoved();
    }
  }

  @Override
  public void close() {
    known.values().forEach(node -> node.health.close());
  }
}
