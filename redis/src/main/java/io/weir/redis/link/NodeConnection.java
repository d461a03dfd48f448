package io.weir.redis.link;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import io.weir.redis.RedisAddress.Node;
import io.weir.redis.RedisOptions;
import io.weir.redis.call.RedisErrors;
import java.util.concurrent.TimeUnit;

/** One plain connection to a single Redis node, for administrative tools. Not for decisions. */
public final class NodeConnection implements AutoCloseable {
  private final ClientResources resources = LettuceConfig.resources();
  private final RedisClient client = RedisClient.create(resources);
  private final StatefulRedisConnection<byte[], byte[]> connection;

  /**
   * Connects with the credentials and TLS settings of the options, and waits for the connection. A
   * lost connection is not re-established.
   *
   * @throws IllegalArgumentException if the node cannot be reached or refuses the credentials; its
   *     message contains the reason
   */
  public NodeConnection(RedisOptions options, Node node) {
    try {
      client.setOptions(LettuceConfig.node(options));
      this.connection = client.connect(ByteArrayCodec.INSTANCE, LettuceConfig.uri(options, node));
    } catch (RedisException e) {
      shutDown();
      throw new IllegalArgumentException(options.address() + ": " + RedisErrors.reason(e), e);
    }
  }

  public StatefulRedisConnection<byte[], byte[]> connection() {
    return connection;
  }

  private void shutDown() {
    client.shutdown(0, 1, TimeUnit.SECONDS);
    LettuceConfig.close(resources);
  }

  @Override
  public void close() {
    connection.close();
    shutDown();
  }
}
