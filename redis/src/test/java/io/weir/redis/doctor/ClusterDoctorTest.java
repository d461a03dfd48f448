package io.weir.redis.doctor;

import static io.weir.redis.doctor.DoctorFixture.about;
import static io.weir.redis.doctor.DoctorFixture.examine;
import static io.weir.redis.doctor.DoctorFixture.only;
import static io.weir.redis.doctor.DoctorFixture.patient;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.redis.RedisOptions;
import io.weir.redis.RedisOptions.Credentials;
import io.weir.redis.doctor.Finding.Grade;
import io.weir.testkit.process.RedisCluster;
import io.weir.testkit.process.RedisServer;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Findings of the doctor about healthy and broken Clusters. */
@Timeout(120)
@Tag("process")
class ClusterDoctorTest {
  private static final String RIGHTS =
      DoctorTest.RIGHTS + " " + String.join(" ", DocumentedAcl.FOR_CLUSTER);

  @Test
  void checksAClusterAndEachOfItsPrimaries() {
    try (RedisCluster cluster = RedisCluster.builder().primaries(3).replicasEach(0).start()) {
      RedisOptions options = patient("redis-cluster://" + cluster.addresses());
      List<Finding> findings = examine(options);
      List<Finding> whole = about("cluster", findings);

      assertThat(whole.get(0).grade()).isEqualTo(Grade.OK);
      assertThat(whole.get(0).text()).startsWith("16384 of 16384 slots are served, by 3");
      assertThat(whole.get(1).text()).startsWith("without a replica: ");
      assertThat(findings)
          .filteredOn(finding -> finding.check().equals("rights"))
          .hasSize(3)
          .allMatch(finding -> finding.grade() == Grade.OK);

      RedisServer node = cluster.nodes().get(0);
      assertThat(only(examine(patient(node.uri())), "role").advice())
          .isEqualTo("use redis-cluster://127.0.0.1:" + node.port());
      for (RedisServer each : cluster.nodes()) {
        String[] user = ("ACL SETUSER weir on >secret " + RIGHTS + " -role -ping").split(" ");
        each.command(user);
      }
      assertThat(examine(options.credentials(new Credentials("weir", "secret"))))
          .filteredOn(finding -> finding.grade() != Grade.OK)
          .extracting(Finding::check)
          .containsExactly("cluster", "info", "info", "info");
      node.command("ACL", "SETUSER", "weir", "-cluster|nodes");
      assertThat(examine(options.credentials(new Credentials("weir", "secret"))).get(1).advice())
          .isEqualTo("allow this user +cluster|nodes");
      node.command("CLUSTER", "DELSLOTS", "0");
      Finding uncovered = examine(options).get(1);
      assertThat(uncovered.grade()).isEqualTo(Grade.FAIL);
      assertThat(uncovered.text()).startsWith("16383 of 16384");
    }
    try (RedisServer single = RedisServer.start()) {
      Finding none =
          only(examine(patient("redis-cluster://127.0.0.1:" + single.port())), "cluster");
      assertThat(none.grade()).isEqualTo(Grade.FAIL);
      assertThat(none.advice()).contains("redis://127.0.0.1:" + single.port());
    }
  }

  /** The default of Redis. */
  @Test
  void warnsIfFullCoverageIsRequired() {
    try (RedisCluster cluster =
        RedisCluster.builder()
            .primaries(1)
            .replicasEach(0)
            .config("cluster-require-full-coverage yes")
            .start()) {
      RedisOptions options = patient("redis-cluster://" + cluster.addresses());
      RedisServer node = cluster.nodes().get(0);

      assertThat(about("cluster", examine(options)))
          .filteredOn(finding -> finding.text().contains("cluster-require-full-coverage"))
          .singleElement()
          .matches(finding -> finding.grade() == Grade.WARN)
          .matches(finding -> finding.where().equals(cluster.addresses()))
          .matches(finding -> finding.advice().startsWith("set cluster-require-full-coverage no"));
      node.command(("ACL SETUSER weir on >secret " + RIGHTS).split(" "));
      assertThat(examine(options.credentials(new Credentials("weir", "secret"))))
          .as("it may not ask")
          .noneMatch(finding -> finding.text().contains("full-coverage"));
      node.command("CONFIG", "SET", "cluster-require-full-coverage", "no");
      assertThat(examine(options)).noneMatch(finding -> finding.text().contains("full-coverage"));
    }
  }

  @Test
  void checksASingleNodeClusterThatDoesNotKnowItsOwnAddress() {
    try (RedisCluster cluster = RedisCluster.builder().primaries(1).replicasEach(0).start()) {
      assertThat(cluster.nodes().get(0).text("CLUSTER", "NODES")).contains(" :");
      List<Finding> findings = examine(patient("redis-cluster://" + cluster.addresses()));

      assertThat(about("cluster", findings).get(0).text())
          .isEqualTo("16384 of 16384 slots are served, by 1 primary");
      assertThat(only(findings, "rights").where()).isEqualTo(cluster.addresses());
      assertThat(findings).noneMatch(finding -> finding.grade() == Grade.FAIL);
    }
  }

  @Test
  void nodeThatLostItsIdentityCountsAsDown() {
    try (RedisCluster cluster = RedisCluster.builder().primaries(3).replicasEach(0).start()) {
      RedisServer asked = cluster.nodes().get(0);
      RedisServer forgetful = cluster.nodes().get(2);
      String id = forgetful.text("CLUSTER", "MYID");
      forgetful.command("CLUSTER", "RESET", "HARD"); // as if its nodes.conf were lost
      await().until(() -> asked.text("CLUSTER", "NODES").contains(id + " :0@0"));
      List<Finding> findings = examine(patient("redis-cluster://127.0.0.1:" + asked.port()));

      List<Finding> whole = about("cluster", findings);
      assertThat(whole.get(0).grade()).isEqualTo(Grade.FAIL);
      assertThat(whole.get(0).text()).endsWith("of 16384 slots are served, by 2 primaries");
      assertThat(whole.get(1).text()).isEqualTo("down: " + id + " (has no address)");
      assertThat(about("rights", findings)).hasSize(2);
    }
  }

  @Test
  void triesTheNextNodeAfterAnErrorOrNonsense() throws IOException {
    try (RedisCluster cluster = RedisCluster.builder().primaries(1).replicasEach(0).start();
        ScriptedRedis silent = ScriptedRedis.answering("CLUSTER", "");
        ScriptedRedis confused = ScriptedRedis.answering("CLUSTER", "$9\r\nwho knows\r\n")) {
      List<Finding> findings =
          examine(
              patient(
                  String.format(
                      "redis-cluster://%s,%s,%s",
                      silent.address(), confused.address(), cluster.addresses())));

      List<Finding> whole = about("cluster", findings);
      assertThat(whole).extracting(Finding::where).startsWith(silent.address(), confused.address());
      assertThat(whole.subList(0, 2)).allMatch(finding -> finding.grade() == Grade.FAIL);
      assertThat(whole.get(2).text()).startsWith("16384 of 16384 slots are served");
      assertThat(about("rights", findings)).hasSize(1);
    }
  }
}
