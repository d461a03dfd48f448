package io.weir.server.envoy;

import io.weir.redis.RedisOptions;
import io.weir.server.config.ServerConfig;
import io.weir.testkit.process.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** The contract with Envoy on a real Redis, where refusals are cached in memory. */
@Timeout(60)
class EnvoyContractOnRedisTest extends EnvoyContract {
  private final RedisServer redis = RedisServer.start();

  @Override
  ServerConfig withStore(ServerConfig config) {
    return config.redis(RedisOptions.of(redis.uri()).timeout(Duration.ofSeconds(2)));
  }

  /** Other tests use the same keys. */
  @BeforeEach
  void forgetAll() {
    redis.command("FLUSHALL");
  }

  @AfterAll
  void stopRedis() {
    redis.close();
  }
}
