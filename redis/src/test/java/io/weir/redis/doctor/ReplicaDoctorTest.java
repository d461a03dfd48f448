package io.weir.redis.doctor;

import static io.weir.redis.doctor.DoctorFixture.about;
import static io.weir.redis.doctor.DoctorFixture.examine;
import static io.weir.redis.doctor.DoctorFixture.patient;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.redis.RedisOptions;
import io.weir.redis.RedisOptions.Credentials;
import io.weir.redis.doctor.Finding.Grade;
import io.weir.testkit.process.RedisBinary;
import io.weir.testkit.process.RedisCluster;
import io.weir.testkit.process.RedisSentinels;
import io.weir.testkit.process.RedisServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Findings of the doctor about replicas, whose problems show only after a failover. */
@Timeout(120)
@Tag("process")
class ReplicaDoctorTest {
  private static final String FOR_DOCTOR = " " + String.join(" ", DocumentedAcl.FOR_DOCTOR);
  private static final String RIGHTS = String.join(" ", DocumentedAcl.RULES) + FOR_DOCTOR;
  private static final String IN_CLUSTER = String.join(" ", DocumentedAcl.inCluster()) + FOR_DOCTOR;

  @Test
  void findsTheReplicaThatLacksTheUserOrARight() {
    for (RedisBinary binary : List.of(RedisBinary.find(), RedisBinary.oldest())) {
      try (RedisSentinels sentinels = RedisSentinels.start(binary, 2)) {
        RedisOptions options = behind(sentinels).credentials(new Credentials("weir", "secret"));
        RedisServer master = sentinels.servers().get(0);
        RedisServer replica = sentinels.servers().get(1);
        RedisServer other = sentinels.servers().get(2);
        allow(master, RIGHTS);
        allow(other, RIGHTS);

        Finding without = at(replica, examine(options));
        assertThat(without.grade()).isEqualTo(Grade.FAIL);
        assertThat(without.text()).startsWith("could not be used after a failover: WRONGPASS");
        assertThat(without.advice()).contains("create the user weir there");
        assertThat(at(other, examine(options)).grade()).isEqualTo(Grade.OK);

        allow(replica, RIGHTS + " -role -set -evalsha -info");
        Finding less = at(replica, examine(options));
        assertThat(less.grade()).isEqualTo(Grade.FAIL);
        assertThat(less.text()).startsWith("may not ROLE, SET, EVALSHA: NOPERM");
        assertThat(less.advice())
            .endsWith("on this replica, as an administrator: ACL SETUSER weir +role +set +evalsha");

        allow(replica, "resetkeys ~other:* +role +set +evalsha");
        assertThat(at(replica, examine(options)).advice()).endsWith("ACL SETUSER weir ~weir:*");

        allow(replica, "~weir:*");
        assertThat(at(replica, examine(options)).text())
            .isEqualTo(
                "could take over from 127.0.0.1:"
                    + master.port()
                    + ": has the rights; its version and eviction policy are unknown");
        allow(replica, "+info");
        List<Finding> findings = examine(options);
        assertThat(at(replica, findings).text())
            .endsWith(": has the rights, Redis " + binary.version() + ", noeviction");
        assertThat(findings).noneMatch(finding -> finding.grade() != Grade.OK);
      }
    }
  }

  @Test
  void findsTheReplicaOfAClusterThatLacksTheUserOrARight() {
    try (RedisCluster cluster = RedisCluster.start()) {
      RedisServer replica = cluster.nodes().get(4);
      cluster.nodes().forEach(node -> allow(node, IN_CLUSTER));
      RedisOptions options =
          patient("redis-cluster://" + cluster.addresses())
              .credentials(new Credentials("weir", "secret"));
      List<Finding> findings = examine(options);
      assertThat(about("replica", findings)).hasSize(3);
      assertThat(findings).noneMatch(finding -> finding.grade() != Grade.OK);

      allow(replica, "-asking -del -eval");
      assertThat(about("replica", examine(options)))
          .filteredOn(finding -> finding.grade() != Grade.OK)
          .containsExactly(at(replica, examine(options)));
      Finding less = at(replica, examine(options));
      assertThat(less.grade()).isEqualTo(Grade.FAIL);
      assertThat(less.text()).startsWith("may not DEL, EVAL, ASKING: NOPERM");

      replica.command("ACL", "DELUSER", "weir");
      assertThat(at(replica, examine(options)).text()).contains("WRONGPASS");
    }
  }

  @Test
  void reportsOtherDifferencesFromThePrimary() {
    try (RedisSentinels sentinels = RedisSentinels.start(1, "secret")) {
      RedisOptions options = behind(sentinels).credentials(new Credentials("", "secret"));
      RedisServer replica = sentinels.servers().get(1);
      replica.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
      Finding policy = at(replica, examine(options));
      assertThat(policy.grade()).isEqualTo(Grade.WARN);
      assertThat(policy.text()).startsWith("maxmemory-policy is allkeys-lru");
      assertThat(policy.advice()).contains("noeviction");

      replica.kill();
      Finding away = at(replica, examine(options));
      assertThat(away.grade()).isEqualTo(Grade.WARN);
      assertThat(away.text()).startsWith("cannot be checked: connection refused");
      assertThat(away.advice()).endsWith("removed for good: SENTINEL RESET weir");
    }
  }

  @Test
  void skipsAReplicaThatIsNeverPromoted() {
    try (RedisSentinels sentinels = RedisSentinels.start(1)) {
      assertThat(about("replica", examine(behind(sentinels)))).hasSize(1);
      sentinels.servers().get(1).command("CONFIG", "SET", "replica-priority", "0");
      await()
          .atMost(Duration.ofSeconds(30)) // an old Sentinel checks every 10 s
          .until(() -> about("replica", examine(behind(sentinels))).isEmpty());
    }
  }

  @Test
  void reportsADifferentPassword() {
    try (RedisSentinels sentinels = RedisSentinels.start(1)) {
      RedisServer replica = sentinels.servers().get(1);
      replica.command("CONFIG", "SET", "requirepass", "other");
      Finding asked = at(replica, examine(behind(sentinels)));

      assertThat(asked.grade()).isEqualTo(Grade.FAIL);
      assertThat(asked.text()).contains("NOAUTH");
      assertThat(asked.advice()).startsWith("passwords are not replicated");
    }
  }

  @Test
  void warnsOfAnotherVersionOrALostReplicationLink() {
    try (RedisSentinels sentinels = RedisSentinels.start(RedisBinary.oldest(), 0);
        RedisServer replica =
            RedisServer.builder()
                .binary(RedisBinary.find())
                .config("replicaof 127.0.0.1 " + sentinels.servers().get(0).port())
                .start()) {
      await()
          .atMost(Duration.ofSeconds(30)) // a Sentinel checks every 10 s
          .until(() -> about("replica", examine(behind(sentinels))).size() == 1);
      Finding version = at(replica, examine(behind(sentinels)));
      assertThat(version.grade()).isEqualTo(Grade.WARN);
      assertThat(version.text()).matches("is \\w+ [0-9.]+, and its primary Redis 6.2.*");

      replica.command("REPLICAOF", "127.0.0.1", "1");
      assertThat(at(replica, examine(behind(sentinels))).text())
          .startsWith(version.text() + "; is not connected to its primary");
    }
  }

  @Test
  void writesNothingEvenOnAWritableReplica() {
    try (RedisSentinels sentinels = RedisSentinels.start(1)) {
      RedisServer replica = sentinels.servers().get(1);
      replica.command("CONFIG", "SET", "replica-read-only", "no");
      allow(sentinels.servers().get(0), RIGHTS);
      allow(replica, RIGHTS + " -del"); // a key could not be deleted
      RedisOptions options = behind(sentinels).credentials(new Credentials("weir", "secret"));

      assertThat(at(replica, examine(options)).text()).startsWith("may not DEL: NOPERM");
      assertThat(replica.command("EXISTS", "weir:1:{doctor0}:replica:b0")).isEqualTo(0L);
    }
  }

  private static RedisOptions behind(RedisSentinels sentinels) {
    return patient("redis-sentinel://" + RedisSentinels.MASTER_NAME + "@" + sentinels.addresses());
  }

  private static void allow(RedisServer node, String rules) {
    node.command(("ACL SETUSER weir on >secret " + rules).split(" "));
  }

  private static Finding at(RedisServer replica, List<Finding> findings) {
    return about("replica", findings).stream()
        .filter(finding -> finding.where().equals("127.0.0.1:" + replica.port()))
        .reduce(
            (one, more) -> {
              throw new AssertionError("two of " + replica + ": " + findings);
            })
        .orElseThrow(() -> new AssertionError("none of " + replica + ": " + findings));
  }
}
