package io.weir.cli.drill;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.weir.redis.RedisAddress;
import io.weir.redis.RedisAddress.Node;
import io.weir.redis.RedisOptions;
import io.weir.redis.link.NodeConnection;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;

/**
 * Injects one fault into a Redis on a loopback address, by its own commands, and repairs it: when
 * the time is over, or at any moment on request.
 *
 * <p>Only for drills: the fault hits every client of that Redis.
 */
public final class FaultInjector implements AutoCloseable {
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

  /** The kinds of faults. */
  public enum Fault {
    /** Redis accepts commands and answers none. */
    HANG,
    /** Redis answers late. */
    SLOW,
    /** Connections break, again and again. */
    CUT,
    /** Redis has no memory left. */
    FULL,
    /** Redis is shut down; the drill starts it again. */
    KILL;

    /** The name in commands, such as {@code redis-hang}. */
    public String id() {
      return "redis-" + name().toLowerCase(Locale.ROOT);
    }
  }

  private final NodeConnection node;
  private final StatefulRedisConnection<byte[], byte[]> connection;
  private final RedisCommands<byte[], byte[]> redis;
  private final Fault fault;

  /** Undoes the fault, as far as it was injected. */
  private Runnable back = () -> {};

  private volatile boolean over;

  /**
   * Connects to the Redis that is to fail.
   *
   * @throws IllegalArgumentException if it is not a single Redis on a loopback address, cannot be
   *     reached, or would lose keys by the fault
   */
  public FaultInjector(RedisOptions options, Fault fault) {
    this.fault = fault;
    Node target = local(options.address());
    this.node = new NodeConnection(options, target);
    this.connection = node.connection();
    this.redis = connection.sync();
    try {
      if (fault == Fault.FULL) {
        refuseEvictingNode(target);
      }
    } catch (RedisException e) {
      node.close();
      throw new IllegalArgumentException(target + ": " + e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      node.close();
      throw e;
    }
  }

  private static Node local(RedisAddress address) {
    if (address.topology() != RedisAddress.Topology.SINGLE) {
      throw new IllegalArgumentException("a drill needs a single Redis, redis://host:port");
    }
    Node node = address.nodes().get(0);
    try {
      if (!InetAddress.getByName(node.host()).isLoopbackAddress()) {
        throw new IllegalArgumentException(
            node + " is not on loopback; a drill needs a Redis of your own");
      }
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(node + ": unknown host name", e);
    }
    return node;
  }

  /** A full Redis with any other policy would drop keys of any client to make room. */
  private void refuseEvictingNode(Node node) {
    String policy = setting(POLICY);
    if (!policy.equals(KEEPS_ALL)) {
      throw new IllegalArgumentException(
          node
              + " has "
              + POLICY
              + " "
              + policy
              + " and would drop keys; redis-full needs "
              + KEEPS_ALL);
    }
  }

  private String setting(String name) {
    return redis.configGet(name).getOrDefault(name, "unknown");
  }

  /**
   * Injects the fault for this long and repairs it; returns when that is done.
   *
   * @param startAgain starts a Redis that was shut down
   */
  public void inject(Duration time, Runnable startAgain) {
    try {
      inject(time, System.nanoTime() + time.toNanos(), startAgain);
    } catch (RedisException | CompletionException e) {
      if (!over) {
        throw e;
      }
    } finally {
      repair();
    }
  }

  private void inject(Duration time, long until, Runnable startAgain) {
    switch (fault) {
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

  /** Makes a change that outlasts this process, unless the drill is over. */
  private synchronized void change(Runnable change, Runnable undo) {
    if (!over) {
      back = undo;
      change.run();
    }
  }

  /** Undoes the fault, if there is one, and ends the drill; from any thread. */
  public synchronized void repair() {
    over = true;
    Runnable undo = back;
    back = () -> {};
    undo.run();
  }

  /**
   * Redis answers nothing during a pause, not even the command that would end it. So there are many
   * short pauses, each requested during the one before. That request waits longest, so it is served
   * first and no other command gets through in between. Redis drops it with the connection.
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

  @Override
  public void close() {
    node.close();
  }
}
