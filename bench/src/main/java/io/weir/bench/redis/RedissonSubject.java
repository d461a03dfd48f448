package io.weir.bench.redis;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.redisson.Redisson;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson's rate limiter. It remembers every permit for as long as its interval lasts, so the
 * interval is short; each limiter has to be told its rate once, before the first call.
 */
final class RedissonSubject implements RedisSubject {
  private static final long NEVER_REACHED = 1_000_000_000;
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  /** Longer than any machine is busy with something else. */
  private static final int TIMEOUT_MILLIS = 30_000;

  private final RedissonClient redisson;

  RedissonSubject(RedisEndpoint place, String[] keys) {
    Config config = new Config();
    if (place.cluster()) {
      config
          .useClusterServers()
          .addNodeAddress(place.uris().toArray(String[]::new))
          .setTimeout(TIMEOUT_MILLIS);
    } else {
      config.useSingleServer().setAddress(place.uris().get(0)).setTimeout(TIMEOUT_MILLIS);
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
