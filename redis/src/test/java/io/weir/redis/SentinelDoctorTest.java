package io.weir.redis;

import static io.weir.redis.Findings.assertHealthy;
import static io.weir.redis.Findings.examine;
import static io.weir.redis.Findings.only;
import static io.weir.redis.Findings.patient;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.redis.Finding.Grade;
import io.weir.testkit.process.RedisSentinels;
import io.weir.testkit.process.RedisServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the doctor says about Sentinels, and the master and replicas they know. */
@Timeout(120)
class SentinelDoctorTest {
  @Test
  void asksTheSentinelsAndTheMasterTheyName() {
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
          .startsWith("name it as redis-sentinel://");
      Finding unknown = examine(patient("redis-sentinel://nobody@" + sentinels.addresses())).get(3);
      assertThat(unknown.grade()).isEqualTo(Grade.FAIL);
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
}
