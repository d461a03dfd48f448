package io.weir.testkit.process;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Configures a {@link RedisCluster}, and forms it out of separate servers. */
public final class RedisClusterBuilder {
  private final List<String> lines = new ArrayList<>();
  private RedisBinary binary = RedisBinary.find();
  private Optional<String> password = Optional.empty();
  private Optional<TlsFiles> tls = Optional.empty();
  private int primaries = 3;
  private int replicasEach = 1;

  RedisClusterBuilder() {}

  /** Default three, which is also the minimum that elects a new primary. */
  public RedisClusterBuilder primaries(int primaries) {
    this.primaries = primaries;
    return this;
  }

  /** Default one. */
  public RedisClusterBuilder replicasEach(int replicasEach) {
    this.replicasEach = replicasEach;
    return this;
  }

  public RedisClusterBuilder binary(RedisBinary binary) {
    this.binary = binary;
    return this;
  }

  /** Requires a password from clients and between the nodes. */
  public RedisClusterBuilder password(String password) {
    this.password = Optional.of(password);
    return this;
  }

  /** Listens with TLS in addition, and uses TLS between the nodes. */
  public RedisClusterBuilder tls(TlsFiles files) {
    this.tls = Optional.of(files);
    return this;
  }

  /** Adds a line to every node's redis.conf. */
  public RedisClusterBuilder config(String line) {
    lines.add(line);
    return this;
  }

  /** Starts the nodes, joins them to a cluster and waits until it is complete. */
  public RedisCluster start() {
    List<RedisServer> nodes = new ArrayList<>();
    try {
      for (int i = 0; i < primaries * (1 + replicasEach); i++) {
        nodes.add(node().launch());
      }
      nodes.forEach(RedisServer::awaitReady);
      RedisCluster cluster = new RedisCluster(nodes, primaries);
      form(cluster);
      return cluster;
    } catch (RuntimeException e) {
      nodes.forEach(RedisServer::close);
      throw e;
    }
  }

  private RedisServerBuilder node() {
    RedisServerBuilder node =
        RedisServer.builder()
            .binary(binary)
            .config("cluster-enabled yes")
            .config("cluster-node-timeout 1000")
            // A replica may be elected however old its data is, so tests do not depend on its age.
            .config("cluster-replica-validity-factor 0")
            .config("cluster-require-full-coverage no");
    password.ifPresent(node::password);
    tls.ifPresent(files -> node.tls(files).config("tls-cluster yes").config("tls-replication yes"));
    lines.forEach(node::config);
    return node;
  }

  private void form(RedisCluster cluster) {
    List<RedisServer> nodes = cluster.nodes();
    for (int i = 0; i < nodes.size(); i++) {
      nodes.get(i).command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
    }
    for (int i = 0; i < primaries; i++) {
      nodes.get(i).command(addSlots(i));
    }
    // Every node meets every other: gossip alone would take longer.
    for (int i = 0; i < nodes.size(); i++) {
      for (RedisServer other : nodes.subList(i + 1, nodes.size())) {
        int port = tls.isPresent() ? other.tlsPort() : other.port();
        nodes.get(i).command("CLUSTER", "MEET", other.host(), Integer.toString(port));
      }
    }
    cluster.waitUntil(
        "the nodes to know each other",
        () -> nodes.stream().map(ClusterView::of).allMatch(view -> view.isWhole(nodes.size(), 0)));
    for (int i = primaries; i < nodes.size(); i++) {
      String primary = cluster.idOf(nodes.get(i % primaries));
      nodes.get(i).command("CLUSTER", "REPLICATE", primary);
    }
    cluster.waitUntilWhole();
  }

  /** Slot by slot, because Redis 6.2 does not support ranges. */
  private String[] addSlots(int primary) {
    IntStream slots =
        IntStream.range(
            ClusterView.SLOTS * primary / primaries, ClusterView.SLOTS * (primary + 1) / primaries);
    return Stream.concat(Stream.of("CLUSTER", "ADDSLOTS"), slots.mapToObj(Integer::toString))
        .toArray(String[]::new);
  }
}
