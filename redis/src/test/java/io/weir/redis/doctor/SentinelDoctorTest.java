package io.weir.redis.doctor;

import static io.weir.redis.doctor.DoctorFixture.assertHealthy;
import static io.weir.redis.doctor.DoctorFixture.examine;
import static io.weir.redis.doctor.DoctorFixture.only;
import static io.weir.redis.doctor.DoctorFixture.patient;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.redis.RedisOptions;
import io.weir.redis.RedisOptions.Tls;
import io.weir.redis.doctor.Finding.Grade;
import io.weir.testkit.process.RedisSentinels;
import io.weir.testkit.process.RedisServer;
import io.weir.testkit.process.TlsFiles;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Findings of the doctor about Sentinels, their master and its replicas. */
@Timeout(120)
@Tag("process")
class SentinelDoctorTest {
  @Test
  void checksTheSentinelsAndTheirMaster() {
    try (RedisSentinels sentinels = RedisSentinels.start(1)) {
      RedisOptions options =
          patient("redis-sentinel://" + RedisSentinels.MASTER_NAME + "@" + sentinels.addresses());
      List<Finding> findings = examine(options);

      assertHealthy(findings);
      assertThat(findings)
          .filteredOn(finding -> finding.check().equals("sentinel"))
          .hasSize(3)
          .allMatch(f -> f.text().contains(":" + sentinels.currentMaster().port()));
      assertThat(only(findings, "role").text()).isEqualTo("primary, 1 replica");

      RedisServer sentinel = sentinels.sentinels().get(0);
      assertThat(only(examine(patient(sentinel.uri())), "role").advice())
          .startsWith("use redis-sentinel://");
      List<Finding> unknown = examine(patient("redis-sentinel://unknown@" + sentinels.addresses()));
      assertThat(unknown.get(0).text()).isEqualTo("knows no master called unknown, but weir");
      assertThat(unknown.get(3).grade()).isEqualTo(Grade.FAIL);
      assertThat(unknown.get(3).advice()).startsWith("correct the name");
      sentinel.kill();
      sentinels.sentinels().get(1).kill();
      await()
          .atMost(Duration.ofSeconds(20))
          .untilAsserted(
              () ->
                  assertThat(examine(options))
                      .filteredOn(finding -> finding.check().equals("sentinel"))
                      .extracting(Finding::grade)
                      .containsExactly(Grade.WARN, Grade.WARN, Grade.WARN));
      assertThat(only(examine(options), "reach").grade()).isEqualTo(Grade.OK);
    }
  }

  @Test
  void adviceFollowsFromTheErrorOfASentinel() {
    try (RedisSentinels sentinels = RedisSentinels.start(0);
        RedisServer other = RedisServer.start()) {
      RedisServer sentinel = sentinels.sentinels().get(0);
      String address = "127.0.0.1:" + sentinel.port();
      assertThat(adviceOn("127.0.0.1:" + other.port())).startsWith("this is not a Sentinel");
      assertThat(adviceOn("no-such-host.invalid:26379")).startsWith("correct the host name");

      sentinel.freeze();
      assertThat(adviceOn(address)).contains("is it stuck?");
      sentinel.thaw();
      sentinel.command("ACL", "SETUSER", "default", "-sentinel");
      assertThat(adviceOn(address)).contains("allow it +sentinel");
      sentinel.command("ACL", "SETUSER", "default", "resetpass", ">secret");
      assertThat(adviceOn(address)).contains("remove requirepass");
      sentinel.kill();
      assertThat(adviceOn(address)).startsWith("start it: ");
    }
  }

  @Test
  void distinguishesAnUntrustedSentinelFromOneThatRequiresTls() {
    try (TlsFiles files = TlsFiles.create();
        TlsFiles others = TlsFiles.create();
        RedisSentinels sentinels = RedisSentinels.start(0, files)) {
      String name = "sentinel://weir@127.0.0.1:" + sentinels.sentinels().get(0).tlsPort();
      Tls wrong = new Tls(Optional.of(others.ca()), Optional.empty(), Optional.empty());

      assertThat(examine(patient("rediss-" + name).tls(wrong)).get(0).advice()).contains("tls.ca");
      assertThat(examine(patient("redis-" + name)).get(0).advice()).contains("rediss-sentinel://");
    }
  }

  private static String adviceOn(String sentinel) {
    List<Finding> findings = examine(patient("redis-sentinel://weir@" + sentinel));
    assertThat(findings).extracting(Finding::grade).containsExactly(Grade.WARN, Grade.FAIL);
    return findings.get(0).advice();
  }
}
