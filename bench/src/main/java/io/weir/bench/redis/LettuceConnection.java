package io.weir.bench.redis;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.RedisCodec;
import java.util.concurrent.TimeUnit;

/** A Lettuce connection with default settings, to one Redis or to a Cluster. */
record LettuceConnection<K, V>(AbstractRedisClient client, RedisClusterAsyncCommands<K, V> commands)
    implements AutoCloseable {

  static <K, V> LettuceConnection<K, V> open(RedisEndpoint endpoint, RedisCodec<K, V> codec) {
    if (endpoint.cluster()) {
      RedisClusterClient client =
          RedisClusterClient.create(endpoint.uris().stream().map(RedisURI::create).toList());
      return new LettuceConnection<>(client, client.connect(codec).async());
    }
    RedisClient client = RedisClient.create(endpoint.uris().get(0));
    return new LettuceConnection<>(client, client.connect(codec).async());
  }

  /** Loads a script, on a Cluster into every node, and returns its digest. */
  String loadOnAll(String script) {
    try {
      return commands.scriptLoad(script).toCompletableFuture().get(10, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException("cannot load the script", e);
    }
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
