package io.weir.testkit.process;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** One node's view of all nodes of a Redis Cluster, read from CLUSTER NODES. */
record ClusterView(List<Node> nodes) {
  static final int SLOTS = 16_384;

  /**
   * One node, as another sees it.
   *
   * @param flags such as {@code master}, {@code slave}, {@code fail?}, {@code handshake}
   * @param slots the slots it serves, without those being migrated
   */
  record Node(String id, int port, Set<String> flags, boolean connected, BitSet slots) {
    boolean isPrimary() {
      return flags.contains("master");
    }

    boolean isHealthy() {
      return connected
          && flags.stream().noneMatch(flag -> flag.startsWith("fail") || flag.equals("handshake"));
    }

    /** A line is: id, ip:port@bus, flags, primary, ping, pong, epoch, link state, slots. */
    private static Node parse(String line) {
      String[] words = line.split(" ");
      String address = words[1].substring(0, words[1].indexOf('@'));
      BitSet slots = new BitSet(SLOTS);
      for (String range : Arrays.asList(words).subList(8, words.length)) {
        if (!range.startsWith("[")) {
          String[] ends = range.split("-", -1);
          slots.set(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]) + 1);
        }
      }
      return new Node(
          words[0],
          Integer.parseInt(address.substring(address.lastIndexOf(':') + 1)),
          Set.of(words[2].split(",")),
          words[7].equals("connected"),
          slots);
    }
  }

  static ClusterView of(RedisServer node) {
    return new ClusterView(node.text("CLUSTER", "NODES").lines().map(Node::parse).toList());
  }

  Optional<Node> at(int port) {
    return nodes.stream().filter(node -> node.port() == port).findFirst();
  }

  Optional<Node> primaryOf(int slot) {
    return nodes.stream().filter(node -> node.slots().get(slot)).findFirst();
  }

  /** Whether every slot is served by a node that is not known to be down. */
  boolean coversAllSlots() {
    return nodes.stream().filter(Node::isHealthy).mapToInt(node -> node.slots().cardinality()).sum()
        == SLOTS;
  }

  /** Whether the cluster is complete: this many healthy primaries and replicas, and every slot. */
  boolean isWhole(int primaries, int replicas) {
    return nodes.size() == primaries + replicas
        && nodes.stream().allMatch(Node::isHealthy)
        && nodes.stream().filter(Node::isPrimary).count() == primaries
        && coversAllSlots();
  }
}
