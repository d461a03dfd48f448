package io.weir.redis.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.cluster.SlotHash;
import io.weir.Key;
import io.weir.Limit;
import io.weir.redis.script.KeyNames;
import io.weir.store.Pool;
import io.weir.testkit.process.RedisCluster;
import io.weir.testkit.process.RedisServer;
import io.weir.testkit.process.SlowProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Outages of real processes: no call waits once a node is known to be unavailable, every rule
 * follows its {@code on_fail}, other nodes are not affected, and service returns by itself. Prints
 * its measurements.
 */
@Tag("process")
class OutageTest {
  private static final Duration LASTS = Duration.ofSeconds(4);

  @Test
  void aRedisThatHangs() {
    try (RedisServer redis = RedisServer.start();
        OutageRun outage = new OutageRun(redis.uri(), List.of("a"))) {
      play("hang", redis.uri(), outage, redis::freeze, redis::thaw);
    }
  }

  @Test
  void aRedisThatIsKilledAndRestarted() {
    try (RedisServer redis = RedisServer.start();
        OutageRun outage = new OutageRun(redis.uri(), List.of("a"))) {
      play("kill", redis.uri(), outage, redis::kill, redis::restart);
    }
  }

  @Test
  void packetsThatAreLate() {
    try (RedisServer redis = RedisServer.start();
        SlowProxy network = SlowProxy.before(redis);
        OutageRun outage = new OutageRun(network.uri(), List.of("a"))) {
      play(
          "packet delay",
          network.uri(),
          outage,
          () -> network.delay(Duration.ofMillis(30), Duration.ofMillis(30)),
          () -> network.delay(Duration.ZERO, Duration.ZERO));
    }
  }

  private static void play(
      String what, String uri, OutageRun outage, Runnable begin, Runnable end) {
    String node = uri.substring("redis://".length());
    begin.run();
    long opened = outage.awaitOpen(node);
    OutageRun.pass(LASTS);
    long over = System.nanoTime();
    end.run();
    long answers = System.nanoTime();
    long back = outage.awaitRecovered("a");
    OutageRun.pass(Duration.ofSeconds(1));
    outage.stop();
    outage.assertPromises(what, opened, over, "a");
    outage.assertRecovered(what, answers, back);
    outage.assertOverAdmission(what, "a", node);
  }

  @Test
  void oneNodeOfAClusterThatIsKilled() {
    inACluster("one Cluster node killed", RedisServer::kill, RedisServer::restart);
  }

  @Test
  void oneNodeOfAClusterThatHangs() {
    inACluster("one Cluster node hangs", RedisServer::freeze, RedisServer::thaw);
  }

  /** A fault of a node. */
  private interface OutageFault {
    void to(RedisServer node);
  }

  /** Slots without a node do not stop the other nodes here. */
  private static void inACluster(String what, OutageFault begin, OutageFault end) {
    try (RedisCluster cluster = RedisCluster.builder().primaries(3).replicasEach(0).start()) {
      cluster
          .nodes()
          .forEach(n -> n.command("CONFIG", "SET", "cluster-require-full-coverage", "no"));
      RedisServer victim = cluster.nodes().get(0);
      RedisServer healthy = cluster.nodes().get(1);
      String node = victim.host() + ":" + victim.port();
      String hit = keyOn(cluster, victim);
      String spared = keyOn(cluster, healthy);
      try (OutageRun outage =
          new OutageRun("redis-cluster://" + cluster.addresses(), List.of(hit, spared))) {
        begin.to(victim);
        long opened = outage.awaitOpen(node);
        OutageRun.pass(LASTS);
        long over = System.nanoTime();
        end.to(victim);
        await().ignoreExceptions().until(() -> victim.command("PING").equals("PONG"));
        cluster.waitUntilWhole();
        long answers = System.nanoTime();
        long back = outage.awaitRecovered(hit);
        OutageRun.pass(Duration.ofSeconds(1));
        outage.stop();
        outage.assertPromises(what, opened, over, hit);
        outage.assertRecovered(what, answers, back);
        outage.assertOverAdmission(what, hit, node);
        List<OutageRun.OutageAnswer> elsewhere =
            outage.between(opened, over, some -> some.key().equals(spared));
        long degraded = elsewhere.stream().filter(OutageRun.OutageAnswer::degraded).count();
        System.out.printf(
            "%s: %,d of %,d decisions about keys of another node were degraded%n",
            what, degraded, elsewhere.size());
        assertThat(degraded).isLessThanOrEqualTo(elsewhere.size() / 10); // a busy machine is slow
      }
    }
  }

  /** The default of Redis: all nodes stop once one is declared failed, and none before that. */
  @Test
  void aClusterThatRequiresFullCoverageServesUntilItDeclaresTheFailure() {
    try (RedisCluster cluster = RedisCluster.builder().primaries(3).replicasEach(0).start()) {
      for (RedisServer node : cluster.nodes()) {
        node.command("CONFIG", "SET", "cluster-require-full-coverage", "yes");
        node.command("CONFIG", "SET", "cluster-node-timeout", "4000");
      }
      RedisServer victim = cluster.nodes().get(0);
      RedisServer healthy = cluster.nodes().get(1);
      String spared = keyOn(cluster, healthy);
      try (OutageRun outage =
          new OutageRun(
              "redis-cluster://" + cluster.addresses(), List.of(keyOn(cluster, victim), spared))) {
        long begun = System.nanoTime();
        victim.kill();
        AtomicLong served = new AtomicLong(begun);
        await("the failure is declared")
            .atMost(Duration.ofSeconds(30))
            .pollInterval(Duration.ofMillis(20))
            .until(
                () -> {
                  long asked = System.nanoTime();
                  boolean ok = healthy.text("CLUSTER", "INFO").contains("cluster_state:ok");
                  served.set(ok ? asked : served.get());
                  return !ok;
                });
        outage.stop();
        List<OutageRun.OutageAnswer> live =
            outage.between(
                begun,
                served.get() - OutageRun.TIMEOUT.toNanos(),
                some -> some.key().equals(spared));
        long degraded = live.stream().filter(OutageRun.OutageAnswer::degraded).count();
        System.out.printf(
            "full coverage: %,d of %,d decisions about keys of a live node were degraded in the"
                + " %.1f s before the failure was declared%n",
            degraded, live.size(), (served.get() - begun) / 1e9);
        assertThat(live).hasSizeGreaterThan(100);
        assertThat(degraded).isLessThanOrEqualTo(live.size() / 10); // a busy machine is slow
      }
    }
  }

  private static String keyOn(RedisCluster cluster, RedisServer node) {
    KeyNames names = new KeyNames(new byte[0]);
    Pool pool = new Pool("any", "any", "1", Limit.perSecond(1), false).withDimension("user");
    for (int i = 0; ; i++) {
      int slot = SlotHash.getSlot(names.bucket(pool, Key.of("key-" + i)));
      if (cluster.primaryOf(slot) == node) {
        return "key-" + i;
      }
    }
  }
}
