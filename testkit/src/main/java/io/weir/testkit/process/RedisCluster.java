package io.weir.testkit.process;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

/**
 * A real Redis Cluster on loopback, with fault injection: primaries killed or frozen, slots
 * migrated while in use.
 *
 * <p>A dead node is detected after about a second, and its replica has taken over after two or
 * three. The remaining nodes serve their slots meanwhile.
 *
 * <pre>{@code
 * try (RedisCluster cluster = RedisCluster.start()) {
 *   RedisServer dead = cluster.killPrimaryOf("some key");
 *   cluster.waitForFailover(dead);
 *   dead.restart(); // comes back as a replica
 *   cluster.waitUntilWhole();
 * }
 * }</pre>
 */
public final class RedisCluster implements AutoCloseable {
  private final List<RedisServer> nodes;
  private final int primaries;

  RedisCluster(List<RedisServer> nodes, int primaries) {
    this.nodes = List.copyOf(nodes);
    this.primaries = primaries;
  }

  /** Three primaries with a replica each. */
  public static RedisCluster start() {
    return builder().start();
  }

  public static RedisClusterBuilder builder() {
    return new RedisClusterBuilder();
  }

  /** All nodes, including stopped ones; the initial primaries come first. */
  public List<RedisServer> nodes() {
    return nodes;
  }

  /** The nodes that serve slots now. */
  public List<RedisServer> primaries() {
    ClusterView view = ClusterView.of(anyRunning());
    return nodes.stream()
        .filter(node -> view.at(node.port()).filter(seen -> !seen.slots().isEmpty()).isPresent())
        .toList();
  }

  /** Every node as {@code 127.0.0.1:port}, separated by commas. */
  public String addresses() {
    return nodes.stream()
        .map(node -> node.host() + ":" + node.port())
        .collect(Collectors.joining(","));
  }

  public int slotOf(String key) {
    return Math.toIntExact((Long) anyRunning().command("CLUSTER", "KEYSLOT", key));
  }

  /** The node that serves this key now, according to a running node. */
  public RedisServer primaryOf(String key) {
    return primaryOf(slotOf(key));
  }

  public RedisServer primaryOf(int slot) {
    return ClusterView.of(anyRunning())
        .primaryOf(slot)
        .map(seen -> at(seen.port()))
        .orElseThrow(() -> new IllegalStateException("no node serves slot " + slot));
  }

  /** Sends a command to the node that serves the key. */
  public Object command(String key, String... words) {
    return primaryOf(key).command(words);
  }

  /** {@code kill -9} of the node that serves this key; returns it, for a restart. */
  public RedisServer killPrimaryOf(String key) {
    RedisServer primary = primaryOf(key);
    primary.kill();
    return primary;
  }

  /** {@code SIGSTOP} of the node that serves this key; returns it, for a thaw. */
  public RedisServer freezePrimaryOf(String key) {
    RedisServer primary = primaryOf(key);
    primary.freeze();
    return primary;
  }

  /** Waits until all running nodes agree that other nodes serve the slots of this one. */
  public void waitForFailover(RedisServer from) {
    waitUntil(
        "others to take over from " + from,
        () -> running().stream().allMatch(node -> isTakenOver(from, node)));
  }

  /**
   * Waits until every node runs and is healthy in the view of all, and every replica is in sync.
   */
  public void waitUntilWhole() {
    waitUntil("the cluster to be whole", () -> nodes.stream().allMatch(this::seesAllWell));
  }

  /** Migrates a slot with its keys to another primary, while clients use them. */
  public void migrateSlot(int slot, RedisServer to) {
    SlotMigration migration = beginMigration(slot, to);
    migration.moveKeys();
    migration.finish();
  }

  /** Migrates a slot step by step, to test the responses in between: ASK, TRYAGAIN, MOVED. */
  public SlotMigration beginMigration(int slot, RedisServer to) {
    return SlotMigration.begin(this, slot, primaryOf(slot), to);
  }

  @Override
  public void close() {
    nodes.forEach(RedisServer::close);
  }

  String idOf(RedisServer node) {
    return node.text("CLUSTER", "MYID");
  }

  List<RedisServer> running() {
    return nodes.stream().filter(RedisServer::isRunning).toList();
  }

  void waitUntil(String what, Callable<Boolean> condition) {
    AgreementWait.waitUntil(what, nodes, condition);
  }

  private boolean isTakenOver(RedisServer from, RedisServer observer) {
    ClusterView view = ClusterView.of(observer);
    return view.at(from.port()).filter(seen -> !seen.slots().isEmpty()).isEmpty()
        && view.coversAllSlots()
        && isOk(observer);
  }

  private boolean seesAllWell(RedisServer node) {
    return isOk(node)
        && ClusterView.of(node).isWhole(primaries, nodes.size() - primaries)
        && (node.info("role").equals("master") || node.info("master_link_status").equals("up"));
  }

  private static boolean isOk(RedisServer node) {
    return node.text("CLUSTER", "INFO").contains("cluster_state:ok");
  }

  private RedisServer anyRunning() {
    return running().stream()
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no node is running"));
  }

  private RedisServer at(int port) {
    return nodes.stream().filter(node -> node.port() == port).findFirst().orElseThrow();
  }
}
