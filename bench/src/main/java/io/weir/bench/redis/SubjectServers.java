package io.weir.bench.redis;

import io.weir.testkit.process.RedisCluster;
import io.weir.testkit.process.RedisServer;
import java.util.List;

/** The real Redis processes of one subject, not shared with others. */
final class SubjectServers implements AutoCloseable {
  private static final int SAMPLE = 300;

  private final List<RedisServer> nodes;
  private final boolean cluster;

  private SubjectServers(List<RedisServer> nodes, boolean cluster) {
    this.nodes = nodes;
    this.cluster = cluster;
  }

  static SubjectServers single() {
    return new SubjectServers(List.of(RedisServer.start()), false);
  }

  /** Three primaries, with a node timeout that tolerates a busy machine. */
  static SubjectServers cluster() {
    RedisCluster cluster =
        RedisCluster.builder()
            .primaries(3)
            .replicasEach(0)
            .config("cluster-node-timeout 30000")
            .start();
    return new SubjectServers(cluster.nodes(), true);
  }

  RedisEndpoint endpoint() {
    return new RedisEndpoint(
        cluster, nodes.stream().map(node -> node.host() + ":" + node.port()).toList());
  }

  String version() {
    return nodes.get(0).binary().version();
  }

  RedisUsage work() {
    return RedisUsage.of(nodes.stream().map(node -> node.text("INFO", "everything")).toList());
  }

  CommandMonitor monitor() {
    return CommandMonitor.of(nodes);
  }

  /** Memory of Redis per limited key, which may have several Redis keys or share some. */
  double bytesPerKey(int keys) {
    return nodes.stream().mapToDouble(SubjectServers::bytes).sum() / keys;
  }

  /** Estimated from a sample of a node's keys. */
  private static double bytes(RedisServer node) {
    long size = (Long) node.command("DBSIZE");
    double bytes = 0;
    int seen = 0;
    for (int i = 0; i < SAMPLE && size > 0; i++) {
      Object usage = node.command("MEMORY", "USAGE", node.text("RANDOMKEY"));
      if (usage instanceof Long some) {
        bytes += some;
        seen++;
      }
    }
    return seen == 0 ? 0 : size * bytes / seen;
  }

  @Override
  public void close() {
    nodes.forEach(RedisServer::close);
  }
}
