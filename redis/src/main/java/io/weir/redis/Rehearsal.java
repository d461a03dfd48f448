package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import io.weir.redis.RedisAddress.Node;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Does something bad to a Redis on this machine, by its own commands, and puts it right again.
 *
 * <p>Only for rehearsals: whoever else uses that Redis has a bad day too.
 */
public final class Rehearsal implements AutoCloseable {
  private static final Duration CUT_EVERY = Duration.ofMillis(100);

  /** A script that keeps Redis busy for a moment, again and again, as a slow command would. */
  private static final byte[] BUSY =
      """
      local function now()
        local t = redis.call('TIME')
        return t[1] * 1000000 + t[2]
      end
      local till = now() + 40000
      while now() < till do end
      """
          .getBytes(US_ASCII);

  private static final Duration BREATH = Duration.ofMillis(5);

  /** What can be done to it. */
  public enum Deed {
    /** It takes calls and answers none. */
    HANG,
    /** It answers late. */
    SLOW,
    /** Its connections break, again and again. */
    CUT,
    /** It has no memory left. */
    FULL,
    /** It is shut down, and has to be started again by somebody else. */
    KILL;

    /** The name in commands, such as {@code redis-hang}. */
    public String id() {
      return "redis-" + name().toLowerCase(Locale.ROOT);
    }
  }

  private final ClientResources resources = Lettuce.resources();
  private final RedisClient client = RedisClient.create(resources);
  private final StatefulRedisConnection<byte[], byte[]> connection;
  private final RedisCommands<byte[], byte[]> redis;

  /**
   * Connects to a Redis.
   *
   * @throws IllegalArgumentException if it is not a single Redis on this machine, or cannot be
   *     reached
   */
  public Rehearsal(RedisOptions options) {
    try {
      Node node = local(options.address());
      client.setOptions(Lettuce.node(options));
      this.connection = client.connect(ByteArrayCodec.INSTANCE, Lettuce.uri(options, node));
      this.redis = connection.sync();
    } catch (RedisException e) {
      shutDown();
      throw new IllegalArgumentException(options.address() + ": " + Trouble.reason(e), e);
    } catch (IllegalArgumentException e) {
      shutDown();
      throw e;
    }
  }

  private static Node local(RedisAddress address) {
    if (address.topology() != RedisAddress.Topology.SINGLE) {
      throw new IllegalArgumentException("drills are done to a single Redis, redis://host:port");
    }
    Node node = address.nodes().get(0);
    try {
      if (!InetAddress.getByName(node.host()).isLoopbackAddress()) {
        throw new IllegalArgumentException(
            node + " is not on this machine; drills are done to a Redis that is yours alone");
      }
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(node + ": the name is unknown", e);
    }
    return node;
  }

  /** Does it for this long, and puts it right; returns when that is done. */
  public void perform(Deed deed, Duration time) {
    long until = System.nanoTime() + time.toNanos();
    switch (deed) {
      case HANG -> {
        redis.clientPause(time.toMillis());
        sleepUntil(until);
      }
      case SLOW -> repeat(until, BREATH, this::keepBusy);
      case CUT ->
          repeat(
              until, CUT_EVERY, () -> redis.clientKill(KillArgs.Builder.typeNormal().skipme(true)));
      case FULL -> fill(until);
      case KILL -> {
        redis.shutdown(false);
        sleepUntil(until);
      }
    }
  }

  private void keepBusy() {
    redis.eval(BUSY, ScriptOutputType.VALUE, new byte[0][]);
  }

  private void fill(long until) {
    Map<String, String> before = redis.configGet("maxmemory");
    redis.configSet("maxmemory", "1");
    try {
      sleepUntil(until);
    } finally {
      redis.configSet("maxmemory", before.getOrDefault("maxmemory", "0"));
    }
  }

  private static void repeat(long until, Duration pause, Runnable action) {
    while (System.nanoTime() < until) {
      action.run();
      LockSupport.parkNanos(pause.toNanos());
    }
  }

  private static void sleepUntil(long until) {
    for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private void shutDown() {
    client.shutdown(0, 1, TimeUnit.SECONDS);
    Lettuce.close(resources);
  }

  @Override
  public void close() {
    connection.close();
    shutDown();
  }
}
