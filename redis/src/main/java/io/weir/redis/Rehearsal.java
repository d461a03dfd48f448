package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import io.weir.redis.RedisAddress.Node;
import io.weir.redis.call.RedisErrors;
import io.weir.redis.link.LettuceConfig;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Does something bad to a Redis on a loopback address, by its own commands, and puts it right
 * again: when its time is over, or whenever it is told to.
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

  /** Redis hangs for so long at a time: a drill that is killed leaves no more than that. */
  private static final long PAUSE_MILLIS = 1000;

  private static final String POLICY = "maxmemory-policy";
  private static final String KEEPS_ALL = "noeviction";

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

  private final ClientResources resources = LettuceConfig.resources();
  private final RedisClient client = RedisClient.create(resources);
  private final StatefulRedisConnection<byte[], byte[]> connection;
  private final RedisCommands<byte[], byte[]> redis;
  private final Deed deed;

  /** Puts right what was done so far. */
  private Runnable back = () -> {};

  private volatile boolean over;

  /**
   * Connects to a Redis to which this is to be done.
   *
   * @throws IllegalArgumentException if it is not a single Redis on a loopback address, cannot be
   *     reached, or would lose keys by it
   */
  public Rehearsal(RedisOptions options, Deed deed) {
    this.deed = deed;
    try {
      Node node = local(options.address());
      client.setOptions(LettuceConfig.node(options));
      this.connection = client.connect(ByteArrayCodec.INSTANCE, LettuceConfig.uri(options, node));
      this.redis = connection.sync();
      if (deed == Deed.FULL) {
        refuseIfItEvicts(node);
      }
    } catch (RedisException e) {
      shutDown();
      throw new IllegalArgumentException(options.address() + ": " + RedisErrors.reason(e), e);
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
            node + " is not on loopback; drills are done to a Redis that is yours alone");
      }
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(node + ": the name is unknown", e);
    }
    return node;
  }

  /** A full Redis with any other policy would drop keys to make room, whosever they are. */
  private void refuseIfItEvicts(Node node) {
    String policy = setting(POLICY);
    if (!policy.equals(KEEPS_ALL)) {
      throw new IllegalArgumentException(
          node
              + " has "
              + POLICY
              + " "
              + policy
              + " and would drop keys; redis-full is done to one"
              + " that has "
              + KEEPS_ALL);
    }
  }

  private String setting(String name) {
    return redis.configGet(name).getOrDefault(name, "unknown");
  }

  /**
   * Does it for this long, and puts it right; returns when that is done.
   *
   * @param startAgain starts a Redis that was shut down
   */
  public void perform(Duration time, Runnable startAgain) {
    try {
      perform(time, System.nanoTime() + time.toNanos(), startAgain);
    } catch (RedisException | CompletionException e) {
      if (!over) {
        throw e;
      }
    } finally {
      putRight();
    }
  }

  private void perform(Duration time, long until, Runnable startAgain) {
    switch (deed) {
      case HANG -> hang(time.toMillis());
      case SLOW -> repeat(until, BREATH, this::keepBusy);
      case CUT ->
          repeat(
              until, CUT_EVERY, () -> redis.clientKill(KillArgs.Builder.typeNormal().skipme(true)));
      case FULL -> {
        String before = setting("maxmemory");
        change(() -> redis.configSet("maxmemory", "1"), () -> redis.configSet("maxmemory", before));
        sleepUntil(until);
      }
      case KILL -> {
        change(() -> redis.shutdown(false), startAgain);
        sleepUntil(until);
      }
    }
  }

  /** Does something that outlasts this process, unless it is over by now. */
  private synchronized void change(Runnable change, Runnable undo) {
    if (!over) {
      back = undo;
      change.run();
    }
  }

  /** Puts right what was done, if anything, and does no more of it; from any thread. */
  public synchronized void putRight() {
    over = true;
    Runnable undo = back;
    back = () -> {};
    undo.run();
  }

  /**
   * Nothing is answered during a pause, not even the command that would end it. So there are many
   * short ones, each asked for during the one before it: as it waits longest, it comes first when
   * that one ends, and nobody gets through in between. Redis forgets it with the connection.
   */
  private void hang(long millis) {
    change(() -> {}, connection::close);
    RedisFuture<String> asked = pause(Math.min(millis, PAUSE_MILLIS));
    for (long left = millis - PAUSE_MILLIS; left > 0 && !over; left -= PAUSE_MILLIS) {
      RedisFuture<String> next = pause(Math.min(left, PAUSE_MILLIS));
      asked.toCompletableFuture().join();
      asked = next;
    }
    asked.toCompletableFuture().join();
    connection.async().ping().toCompletableFuture().join();
  }

  private RedisFuture<String> pause(long millis) {
    return connection.async().clientPause(millis);
  }

  private void keepBusy() {
    redis.eval(BUSY, ScriptOutputType.VALUE, new byte[0][]);
  }

  private void repeat(long until, Duration pause, Runnable action) {
    while (System.nanoTime() < until && !over) {
      action.run();
      LockSupport.parkNanos(pause.toNanos());
    }
  }

  private void sleepUntil(long until) {
    for (long left = until - System.nanoTime();
        left > 0 && !over;
        left = until - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
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
