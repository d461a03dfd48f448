package io.weir.testkit.process;

import static io.weir.testkit.process.ProcessAssertions.assertGone;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("process")
class RedisClusterTest {
  private static RedisCluster cluster;

  @BeforeAll
  static void start() {
    cluster = RedisCluster.start();
  }

  @AfterEach
  void becomesWholeAgain() {
    cluster.waitUntilWhole();
  }

  @AfterAll
  static void leavesNothingBehind() {
    List<Long> pids = cluster.nodes().stream().map(RedisServer::pid).toList();
    cluster.close();
    assertThat(pids).hasSize(6).allSatisfy(ProcessAssertions::assertGone);
  }

  @Test
  void servesEverySlotFromItsPrimary() {
    assertThat(cluster.primaries()).hasSize(3);
    for (String key : List.of("a", "b", "c", "{a}d")) {
      assertThat(cluster.command(key, "SET", key, "1")).isEqualTo("OK");
    }
    assertThat(cluster.slotOf("{a}d")).isEqualTo(cluster.slotOf("a"));
    assertThat(cluster.addresses().split(",")).hasSize(6);
  }

  @Test
  void aReplicaTakesOverFromAKilledPrimary() {
    RedisServer dead = cluster.killPrimaryOf("a");
    assertGone(dead.pid());
    cluster.waitForFailover(dead);

    RedisServer successor = cluster.primaryOf("a");
    assertThat(successor).isNotSameAs(dead);
    assertThat(successor.command("SET", "a", "2")).isEqualTo("OK");

    dead.restart();
    cluster.waitUntilWhole();
    assertThat(dead.info("role")).isEqualTo("slave");
  }

  @Test
  void aReplicaTakesOverFromAFrozenPrimary() {
    RedisServer frozen = cluster.freezePrimaryOf("b");
    cluster.waitForFailover(frozen);
    assertThat(cluster.primaryOf("b")).isNotSameAs(frozen);
    assertThat(cluster.command("b", "SET", "b", "2")).isEqualTo("OK");

    frozen.thaw();
    cluster.waitUntilWhole();
    assertThat(frozen.info("role")).isEqualTo("slave");
  }

  @Test
  void movesASlotWhileItIsUsed() {
    RedisServer from = cluster.primaryOf("{tag}1");
    RedisServer to =
        cluster.primaries().stream().filter(node -> node != from).findFirst().orElseThrow();
    for (int i = 0; i < 250; i++) {
      from.command("SET", "{tag}" + i, "grüße" + i);
    }
    int slot = cluster.slotOf("{tag}1");

    SlotMigration migration = cluster.beginMigration(slot, to);
    assertThat(migration.moveKeys(10)).isEqualTo(10);
    assertThatThrownBy(() -> from.command("GET", "{tag}new")).hasMessageStartingWith("ASK ");
    migration.moveKeys();
    migration.finish();

    assertThatThrownBy(() -> from.command("GET", "{tag}1")).hasMessageStartingWith("MOVED ");
    assertThat(cluster.primaryOf(slot)).isSameAs(to);
    assertThat(to.command("GET", "{tag}249")).isEqualTo("grüße249");

    cluster.migrateSlot(slot, from);
    assertThat(from.command("GET", "{tag}249")).isEqualTo("grüße249");
    assertThat(from.command("GET", "{tag}new")).isEqualTo(Optional.empty());
  }

  @Test
  void formsOfRedis62WithAPasswordToo() {
    try (RedisCluster old =
        RedisCluster.builder()
            .binary(RedisBinary.oldest())
            .password("secret")
            .primaries(2)
            .start()) {
      RedisServer from = old.primaryOf("a");
      from.command("SET", "a", "1");
      RedisServer to =
          old.primaries().stream().filter(node -> node != from).findFirst().orElseThrow();
      old.migrateSlot(old.slotOf("a"), to);
      assertThat(to.command("GET", "a")).isEqualTo("1");
      assertThat(to.binary().version()).startsWith("6.2.");
    }
  }
}
