package io.weir.testkit.process;

import static io.weir.testkit.process.ProcessAssertions.assertGone;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("process")
class RedisSentinelsTest {
  @Test
  void aReplicaIsPromotedWhenTheMasterIsKilled() {
    List<RedisServer> all = new ArrayList<>();
    try (RedisSentinels sentinels = RedisSentinels.start(2)) {
      all.addAll(sentinels.servers());
      all.addAll(sentinels.sentinels());
      assertThat(sentinels.currentMaster()).isSameAs(sentinels.servers().get(0));
      assertThat(sentinels.addresses().split(",")).hasSize(3);

      RedisServer dead = sentinels.killMaster();
      assertGone(dead.pid());
      RedisServer master = sentinels.waitForFailover(dead);
      assertThat(master).isNotSameAs(dead);
      assertThat(master.command("SET", "a", "1")).isEqualTo("OK");

      dead.restart();
      // The old master restarts as a master until the Sentinels make it a replica.
      await()
          .atMost(Duration.ofSeconds(60))
          .ignoreExceptions()
          .untilAsserted(
              () -> {
                assertThat(dead.info("role")).isEqualTo("slave");
                assertThat(dead.command("GET", "a")).isEqualTo("1");
              });
    }
    assertThat(all).hasSize(6).allSatisfy(server -> assertGone(server.pid()));
  }

  @Test
  void formOfRedis62Too() {
    try (RedisSentinels sentinels = RedisSentinels.start(RedisBinary.oldest(), 1)) {
      assertThat(sentinels.currentMaster().binary().version()).startsWith("6.2.");
    }
  }
}
