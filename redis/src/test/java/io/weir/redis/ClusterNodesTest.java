package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.weir.testkit.process.RedisServer;
import io.weir.time.SystemTime;
import java.lang.reflect.Proxy;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ClusterNodesTest {
  /** A connection to which every node has left since the topology was looked at. */
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

  @Test
  void aNodeThatLeavesWhileItIsMetKeepsNobodyFromMeetingTheOthers() throws Exception {
    RedisServer seed = SharedCluster.get().nodes().get(0);
    RedisClusterClient client =
        RedisClusterClient.create(RedisURI.create(seed.host(), seed.port()));
    NodeWatch.Circle circle =
        new NodeWatch.Circle(
            RedisEvents.NONE, SystemTime.INSTANCE, 1_000_000_000, (wait, task) -> {});
    try (ClusterNodes nodes =
        new ClusterNodes(client, () -> new OffsetClock(SystemTime.INSTANCE), circle)) {
      client.refreshPartitions();

      assertThat(nodes.meet(knowingNobody()).toCompletableFuture())
          .failsWithin(10, TimeUnit.SECONDS)
          .withThrowableOfType(java.util.concurrent.ExecutionException.class)
          .withCauseInstanceOf(RedisException.class);
    } finally {
      client.shutdown(0, 1, TimeUnit.SECONDS);
    }
  }
}
