package io.weir.bench.redis;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce.LettuceBasedProxyManagerBuilder;
import io.github.bucket4j.redis.lettuce.cas.LettuceBasedProxyManager;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisAdvancedClusterAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.weir.bench.run.Allowance;
import java.time.Duration;

/** Bucket4j's buckets on Redis, which expire some time after they are full again. */
record Bucket4jManager(
    LettuceConnection<String, byte[]> link,
    LettuceBasedProxyManager<String> buckets,
    BucketConfiguration configuration)
    implements AutoCloseable {

  static Bucket4jManager open(RedisEndpoint endpoint, Allowance allowance) {
    LettuceConnection<String, byte[]> link =
        LettuceConnection.open(endpoint, RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE));
    LettuceBasedProxyManager<String> buckets =
        builder(link.commands())
            .expirationAfterWrite(
                ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(
                    Duration.ofHours(1)))
            .build();
    BucketConfiguration configuration =
        BucketConfiguration.builder()
            .addLimit(
                limit ->
                    limit
                        .capacity(allowance.burst())
                        .refillGreedy(
                            allowance.rate(), Duration.ofSeconds(allowance.periodSeconds())))
            .build();
    return new Bucket4jManager(link, buckets, configuration);
  }

  private static LettuceBasedProxyManagerBuilder<String> builder(
      RedisClusterAsyncCommands<String, byte[]> commands) {
    return commands instanceof RedisAdvancedClusterAsyncCommands<String, byte[]> cluster
        ? Bucket4jLettuce.casBasedBuilder(cluster)
        : Bucket4jLettuce.casBasedBuilder((RedisAsyncCommands<String, byte[]>) commands);
  }

  @Override
  public void close() {
    link.close();
  }
}
