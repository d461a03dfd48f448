package io.weir.redis.doctor;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.ClusterPartitionParser;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode.NodeFlag;
import io.weir.redis.RedisAddress.Node;
import io.weir.redis.call.RedisErrors;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Checks a Cluster as a whole, as one of its nodes sees it. */
final class ClusterDoctor {
  private static final String CHECK = "cluster";

  /** A node that serves slots, and the replicas that could take over from it. */
  record ServingNode(Node node, List<Integer> slots, List<Node> replicas) {}

  private final List<Finding> findings;
  private final List<ServingNode> primaries = new ArrayList<>();

  ClusterDoctor(List<Finding> findings) {
    this.findings = findings;
  }

  /** The nodes that serve slots and are not known to be down. */
  List<ServingNode> primaries() {
    return primaries;
  }

  /** Reads the topology from a node; false if it has none. */
  boolean inspect(Node seed, RedisCommands<byte[], byte[]> node) {
    try {
      inspect(seed, ClusterPartitionParser.parse(node.clusterNodes()).getPartitions());
      return true;
    } catch (RedisException e) {
      findings.add(Finding.fail(CHECK, seed.toString(), RedisErrors.reason(e), advice(seed, e)));
      return false;
    }
  }

  private static String advice(Node seed, RedisException problem) {
    if (!(problem instanceof RedisCommandExecutionException)) {
      return "check the log of this Redis and the network";
    }
    return RedisErrors.reason(problem).startsWith("NOPERM")
        ? "allow this user +cluster|nodes"
        : "this is not a node of a Cluster: use redis://" + seed;
  }

  private void inspect(Node seed, List<RedisClusterNode> all) {
    int covered = 0;
    List<String> dead = new ArrayList<>();
    List<String> alone = new ArrayList<>();
    for (RedisClusterNode known : all) {
      Optional<Node> at = address(known, seed);
      String name = at.map(Node::toString).orElse(known.getNodeId() + " (has no address)");
      boolean down = at.isEmpty() || isDown(known);
      if (down) {
        dead.add(name);
      }
      if (!known.getSlots().isEmpty()) {
        covered += down ? 0 : known.getSlots().size();
        if (all.stream().noneMatch(other -> replicates(other, known))) {
          alone.add(name);
        }
        if (!down) {
          primaries.add(new ServingNode(at.get(), known.getSlots(), replicas(known, seed, all)));
        }
      }
    }
    report(seed, covered, dead, alone);
  }

  /**
   * The address of a node. A node that has met no other does not know its own address, but it was
   * reached at the seed's. The other nodes have lost the address of a node that came back with
   * another id.
   */
  private static Optional<Node> address(RedisClusterNode known, Node seed) {
    @Nullable RedisURI uri = known.getUri();
    if (uri != null) {
      return Optional.of(new Node(uri.getHost(), uri.getPort()));
    }
    return known.is(NodeFlag.MYSELF) ? Optional.of(seed) : Optional.empty();
  }

  /** The replicas of a primary that are not known to be down. */
  private static List<Node> replicas(
      RedisClusterNode primary, Node seed, List<RedisClusterNode> all) {
    return all.stream()
        .filter(other -> replicates(other, primary) && !isDown(other))
        .flatMap(other -> address(other, seed).stream())
        .toList();
  }

  private static boolean isDown(RedisClusterNode known) {
    return known.is(NodeFlag.FAIL) || known.is(NodeFlag.EVENTUAL_FAIL);
  }

  private static boolean replicates(RedisClusterNode other, RedisClusterNode primary) {
    return primary.getNodeId().equals(other.getSlaveOf());
  }

  private void report(Node seed, int covered, List<String> dead, List<String> alone) {
    String where = seed.toString();
    String text =
        covered
            + " of "
            + SlotHash.SLOT_COUNT
            + " slots are served, by "
            + primaries.size()
            + (primaries.size() == 1 ? " primary" : " primaries");
    if (covered == SlotHash.SLOT_COUNT) {
      findings.add(Finding.ok(CHECK, where, text));
    } else {
      findings.add(
          Finding.fail(
              CHECK,
              where,
              text,
              "keys in the other slots follow on_fail: restore the nodes that serve them"));
    }
    if (!dead.isEmpty()) {
      findings.add(
          Finding.warn(
              CHECK, where, "down: " + String.join(", ", dead), "restart or remove these nodes"));
    }
    if (!alone.isEmpty()) {
      findings.add(
          Finding.warn(
              CHECK,
              where,
              "without a replica: " + String.join(", ", alone),
              "add replicas, or accept that their keys are unavailable when they are down"));
    }
  }
}
