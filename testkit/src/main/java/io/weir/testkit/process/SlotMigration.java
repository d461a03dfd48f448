package io.weir.testkit.process;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.List;

/**
 * A slot that is being migrated from one primary to another.
 *
 * <p>Between begin and finish the old primary serves the keys it still has, and replies ASK for
 * keys that have moved already or are new. After finish it replies MOVED.
 */
public final class SlotMigration {
  private static final int BATCH = 100;
  private static final String MIGRATE_LIMIT_MILLIS = "5000";

  private final RedisCluster cluster;
  private final String slot;
  private final RedisServer from;
  private final RedisServer to;

  private SlotMigration(RedisCluster cluster, int slot, RedisServer from, RedisServer to) {
    this.cluster = cluster;
    this.slot = Integer.toString(slot);
    this.from = from;
    this.to = to;
  }

  static SlotMigration begin(RedisCluster cluster, int slot, RedisServer from, RedisServer to) {
    SlotMigration migration = new SlotMigration(cluster, slot, from, to);
    to.command("CLUSTER", "SETSLOT", migration.slot, "IMPORTING", cluster.idOf(from));
    from.command("CLUSTER", "SETSLOT", migration.slot, "MIGRATING", cluster.idOf(to));
    return migration;
  }

  /** Moves all keys that are in the slot. */
  public void moveKeys() {
    while (moveKeys(BATCH) > 0) {}
  }

  /** Moves at most this many keys, and returns how many were moved. */
  public int moveKeys(int atMost) {
    // Keys are bytes, so they are passed on unchanged.
    List<?> keys =
        (List<?>)
            from.command(
                ISO_8859_1, List.of("CLUSTER", "GETKEYSINSLOT", slot, Integer.toString(atMost)));
    if (!keys.isEmpty()) {
      List<String> migrate = new ArrayList<>(List.of("MIGRATE", to.host()));
      migrate.addAll(List.of(Integer.toString(to.port()), "", "0", MIGRATE_LIMIT_MILLIS));
      from.password().ifPresent(password -> migrate.addAll(List.of("AUTH", password)));
      migrate.add("KEYS");
      keys.forEach(key -> migrate.add((String) key));
      from.command(ISO_8859_1, migrate);
    }
    return keys.size();
  }

  /** Assigns the slot to the new primary, and waits until every running node knows. */
  public void finish() {
    String id = cluster.idOf(to);
    to.command("CLUSTER", "SETSLOT", slot, "NODE", id);
    from.command("CLUSTER", "SETSLOT", slot, "NODE", id);
    int number = Integer.parseInt(slot);
    cluster.waitUntil(
        "all to know that slot " + slot + " moved",
        () ->
            cluster.running().stream()
                .map(ClusterView::of)
                .allMatch(
                    view -> view.primaryOf(number).filter(n -> n.id().equals(id)).isPresent()));
  }
}
