package io.weir.redis.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.weir.redis.RedisEvents;
import io.weir.redis.call.NodeHealth;
import io.weir.redis.fixture.SharedCluster;
import io.weir.testkit.process.RedisServer;
import io.weir.time.SystemTime;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ClusterNodesTest {
  /** A connection that every node has left since the topology was read. */
  @SuppressWarnings("unchecked")
  private static StatefulRedisClusterConnection<byte[], byte[]> knowingNobody() {
    return (StatefulRedisClusterConnection<byte[], byte[]>)
        Proxy.newProxyInstance(
            ClusterNodesTest.class.getClassLoader(),
            new Class<?>[] {StatefulRedisClusterConnection.class},
            (self, method, args) -> {
              throw new RedisException("NodeId 1 does not belong to the cluster");
            });
  }

  private final List<String> gone = new ArrayList<>();
  private final RedisClusterClient client = RedisClusterClient.create(seed());
  private final ClusterNodes nodes =
      new ClusterNodes(client, () -> new OffsetClock(SystemTime.INSTANCE), context());

  private static RedisURI seed() {
    RedisServer seed = SharedCluster.get().nodes().get(0);
    return RedisURI.create(seed.host(), seed.port());
  }

  private NodeHealth.Context context() {
    RedisEvents events =
        new RedisEvents() {
          @Override
          public void onAnswer(String node, long nanos) {}

          @Override
          public void onFailure(String node, String kind) {}

          @Override
          public void onBreakerChange(String node, boolean open) {}

          @Override
          public void onNodeRemoved(String node) {
            gone.add(node);
          }
        };
    return new NodeHealth.Context(events, SystemTime.INSTANCE, 1_000_000_000, (wait, task) -> {});
  }

  @BeforeEach
  void look() {
    client.refreshPartitions();
  }

  @AfterEach
  void close() {
    nodes.close();
    client.shutdown(0, 1, TimeUnit.SECONDS);
  }

  @Test
  void nodeThatLeavesDuringPreparationDoesNotBlockTheOthers() {
    assertThat(nodes.prepareNewNodes(knowingNobody()).toCompletableFuture())
        .failsWithin(10, TimeUnit.SECONDS)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(RedisException.class);
  }

  @Test
  void newNodeAtTheSameAddressSurvivesRemovalOfTheOld() {
    RedisClusterNode node = client.getPartitions().getPartitionBySlot(1);
    String name = node.getUri().getHost() + ":" + node.getUri().getPort();
    assertThat(nodes.healthOf(1).node()).isEqualTo(name);
    node.setNodeId("f".repeat(40));
    assertThat(nodes.healthOf(1).node()).isEqualTo(name);

    nodes.prepareNewNodes(knowingNobody());
    assertThat(gone).isEmpty();

    node.setNodeId("e".repeat(40));
    nodes.prepareNewNodes(knowingNobody());
    assertThat(gone).as("no other node has this address yet").containsExactly(name);
  }
}
