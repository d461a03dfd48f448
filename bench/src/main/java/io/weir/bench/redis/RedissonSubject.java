package io.weir.bench.redis;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.redisson.Redisson;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson's rate limiter. It stores every permit for the length of its interval, so the interval
 * is short. Each limiter needs its rate set once, before the first call.
 */
final class RedissonSubject implements RedisSubject {
  private static final long NEVER_REACHED = 1_000_000_000;
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  /** Longer than any stall of a busy machine. */
  private static final int TIMEOUT_MILLIS = 30_000;

  private final RedissonClient redisson;

  RedissonSubject(RedisEndpoint endpoint, String[] keys) {
    Config config = new Config();
    if (endpoint.cluster()) {
      config
          .useClusterServers()
          .addNodeAddress(endpoint.uris().toArray(String[]::new))
          .setTimeout(TIMEOUT_MILLIS);
    } else {
      config.useSingleServer().setAddress(endpoint.uris().get(0)).setTimeout(TIMEOUT_MILLIS);
    }
    this.redisson = Redisson.create(config);
    RedisLoad.inChunks(
        keys,
        key ->
            redisson
                .getRateLimiter(key)
                .trySetRateAsync(RateType.OVERALL, NEVER_REACHED, INTERVAL));
  }

  @Override
  public CompletionStage<Boolean> ask(String key) {
    return redisson.getRateLimiter(key).tryAcquireAsync();
  }

  @Override
  public void close() {
    redisson.shutdown();
  }
}
