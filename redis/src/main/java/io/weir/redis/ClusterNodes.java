package io.weir.redis;

import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** What is known of each primary of a Cluster: how it answers, and what time it is there. */
final class ClusterNodes {
  private final RedisClusterClient client;
  private final Supplier<StoreClock> clocks;
  private final RedisEvents events;
  private final ConcurrentHashMap<String, Known> known = new ConcurrentHashMap<>();

  /** For slots that nobody serves. */
  private final Known nobody;

  private record Known(NodeWatch watch, StoreClock clock) {}

  ClusterNodes(RedisClusterClient client, Supplier<StoreClock> clocks, RedisEvents events) {
    this.client = client;
    this.clocks = clocks;
    this.events = events;
    this.nobody = fresh("no node");
  }

  /** Why nobody is asked before the client knows any node; it would make callers wait for that. */
  Unanswered away() {
    return nobody.watch.away();
  }

  NodeWatch watchOf(int slot) {
    return ofSlot(slot).watch;
  }

  StoreClock clockOf(int slot) {
    return ofSlot(slot).clock;
  }

  private Known ofSlot(int slot) {
    RedisClusterNode node = client.getPartitions().getPartitionBySlot(slot);
    return node == null ? nobody : known(node);
  }

  private Known known(RedisClusterNode node) {
    Known there = known.get(node.getNodeId());
    return there != null
        ? there
        : known.computeIfAbsent(
            node.getNodeId(),
            any -> fresh(node.getUri().getHost() + ":" + node.getUri().getPort()));
  }

  private Known fresh(String name) {
    return new Known(new NodeWatch(name, events), clocks.get());
  }

  /**
   * Asks every node for its time, where this instance's clock has to follow it; completes once all
   * have told or refused. Replicas are asked too: they may be primaries at any moment.
   */
  CompletionStage<Void> measure(StatefulRedisClusterConnection<byte[], byte[]> connection) {
    List<CompletableFuture<?>> told = new ArrayList<>();
    for (RedisClusterNode node : client.getPartitions()) {
      if (known(node).clock instanceof OffsetClock clock) {
        told.add(
            connection
                .getConnectionAsync(node.getNodeId())
                .thenCompose(there -> clock.measure(there.async()::time)));
      }
    }
    return CompletableFuture.allOf(told.toArray(CompletableFuture[]::new));
  }
}
