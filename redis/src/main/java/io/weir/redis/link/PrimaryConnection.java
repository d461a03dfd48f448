package io.weir.redis.link;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.weir.redis.call.NoAnswerException;
import io.weir.redis.call.NodeHealth;
import io.weir.redis.call.RecoveryProbe;
import io.weir.redis.script.HealthProbe;
import io.weir.redis.script.Script;
import io.weir.redis.script.StoreClock;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Maintains a connection to one primary.
 *
 * <p>A connection is used only once the node has confirmed that it is a primary and has the
 * scripts; every heartbeat checks the role again. A connection that is lost, silent or no longer to
 * a primary is dropped. Another is opened after a wait with jitter, from scratch: names are
 * resolved and Sentinels are queried again. The wait grows with every failed attempt, and with
 * every connection that does not last. Commands in flight on a lost connection are never sent
 * again.
 */
public final class PrimaryConnection implements AutoCloseable {
  private static final long HEARTBEAT_MILLIS = 1000;
  private static final int MAX_SILENT_HEARTBEATS = 3;
  private static final long FIRST_WAIT_MILLIS = 50;
  private static final long MAX_WAIT_MILLIS = 2000;

  private final NodeHealth health;
  private final RedisClient client;
  private final RedisURI uri;
  private final ScheduledExecutorService timer;
  private final StoreClock clock;
  private final CompletableFuture<Void> connected = new CompletableFuture<>();
  private volatile @Nullable LiveConnection live;
  private volatile boolean closed;
  private int failures;

  /** Number of consecutive connections that were lost soon after they were made. */
  private int shortLived;

  /** A connection to a node that is a primary. */
  public final class LiveConnection {
    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final RedisAsyncCommands<byte[], byte[]> commands;
    private final AtomicInteger unanswered = new AtomicInteger();
    private final long madeNanos = System.nanoTime();
    private @Nullable ScheduledFuture<?> heartbeat;

    LiveConnection(StatefulRedisConnection<byte[], byte[]> connection) {
      this.connection = connection;
      this.commands = connection.async();
    }

    private void start() {
      heartbeat =
          timer.scheduleWithFixedDelay(
              this::sendHeartbeat, HEARTBEAT_MILLIS, HEARTBEAT_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void sendHeartbeat() {
      if (unanswered.incrementAndGet() > MAX_SILENT_HEARTBEATS) {
        drop("no reply for " + MAX_SILENT_HEARTBEATS * HEARTBEAT_MILLIS + " ms");
        return;
      }
      commands
          .role()
          .whenComplete(
              (role, problem) -> {
                if (problem != null) {
                  return; // counts as silence
                }
                unanswered.set(0);
                if (!isPrimary(role)) {
                  drop("it is not a primary");
                }
              });
      if (clock instanceof OffsetClock offset) {
        offset.measure(nodeClock());
      }
    }

    private NodeClock nodeClock() {
      return NodeClock.over(commands, HealthProbe.clockKey(HealthProbe.keys()[0]));
    }

    RedisAsyncCommands<byte[], byte[]> commands() {
      return commands;
    }

    /** Drops this connection because of a reply. */
    public void drop(String reason) {
      PrimaryConnection.this.drop(this, reason);
    }

    private boolean hasLasted() {
      return System.nanoTime() - madeNanos > RecoveryProbe.STABLE_AFTER.toNanos();
    }

    private void stop() {
      ScheduledFuture<?> scheduled = heartbeat;
      if (scheduled != null) {
        scheduled.cancel(false);
      }
      connection.closeAsync();
    }
  }

  public PrimaryConnection(
      NodeHealth health,
      RedisClient client,
      RedisURI uri,
      ScheduledExecutorService timer,
      StoreClock clock) {
    this.health = health;
    this.client = client;
    this.uri = uri;
    this.timer = timer;
    this.clock = clock;
    connect();
  }

  /** The connection, or null while there is none. */
  public @Nullable LiveConnection live() {
    return live;
  }

  /** Completes with the first connection. */
  CompletionStage<Void> connected() {
    return connected;
  }

  private void connect() {
    if (closed) {
      return;
    }
    client
        .connectAsync(ByteArrayCodec.INSTANCE, uri)
        .toCompletableFuture()
        .thenCompose(this::prepared)
        .whenComplete(
            (ready, problem) -> {
              if (problem == null) {
                use(ready);
              } else {
                connectLater(reasonOf(problem));
              }
            });
  }

  /** Checks the role and loads the scripts. */
  private CompletionStage<LiveConnection> prepared(
      StatefulRedisConnection<byte[], byte[]> connection) {
    LiveConnection fresh = new LiveConnection(connection);
    CompletionStage<Void> known =
        fresh
            .commands
            .role()
            .thenCompose(
                role -> {
                  if (!isPrimary(role)) {
                    throw NoAnswerException.unavailable("it is not a primary");
                  }
                  return load(fresh.commands);
                });
    if (clock instanceof OffsetClock offset) {
      known = known.thenCombine(offset.measureAnew(fresh.nodeClock()), (loaded, measured) -> null);
    }
    return known
        .toCompletableFuture()
        .orTimeout(LettuceConfig.CONNECT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
        .handle(
            (done, problem) -> {
              if (problem != null) {
                connection.closeAsync();
                throw NoAnswerException.from(problem);
              }
              return fresh;
            });
  }

  /** Loads all scripts on a node. */
  static CompletionStage<Void> load(RedisAsyncCommands<byte[], byte[]> commands) {
    CompletionStage<Void> loaded = CompletableFuture.completedFuture(null);
    for (Script script : Script.values()) {
      loaded = loaded.thenCombine(commands.scriptLoad(script.text()), (before, digest) -> null);
    }
    return loaded;
  }

  private static boolean isPrimary(List<Object> role) {
    return !role.isEmpty()
        && role.get(0) instanceof byte[] word
        && new String(word, StandardCharsets.US_ASCII).equals("master");
  }

  private void use(LiveConnection fresh) {
    fresh.connection.addListener(
        new RedisConnectionStateListener() {
          @Override
          public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
            drop(fresh, "the connection was lost");
          }
        });
    synchronized (this) {
      if (closed) {
        fresh.stop();
        return;
      }
      live = fresh;
      fresh.start();
    }
    if (!fresh.connection.isOpen()) {
      drop(fresh, "the connection was lost");
      return;
    }
    health.onConnect(!connected.isDone());
    connected.complete(null);
  }

  private void drop(LiveConnection lost, String reason) {
    synchronized (this) {
      if (live != lost) {
        return;
      }
      live = null;
      shortLived = lost.hasLasted() ? 0 : shortLived + 1;
      failures = shortLived;
    }
    lost.stop();
    connectLater(reason);
  }

  private void connectLater(String reason) {
    long wait;
    synchronized (this) {
      if (closed) {
        return;
      }
      wait = waitMillis(failures++);
    }
    health.onDisconnect(reason);
    timer.schedule(this::connect, wait, TimeUnit.MILLISECONDS);
  }

  /** Wait before the next attempt after this many failures: exponential, with jitter. */
  public static long waitMillis(int failures) {
    long longest = Math.min(FIRST_WAIT_MILLIS << Math.min(failures, 10), MAX_WAIT_MILLIS);
    return ThreadLocalRandom.current().nextLong(longest / 2, longest + 1);
  }

  private static String reasonOf(Throwable problem) {
    Throwable cause = problem;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return String.valueOf(cause.getMessage());
  }

  @Override
  public void close() {
    LiveConnection last;
    synchronized (this) {
      closed = true;
      last = live;
      live = null;
    }
    if (last != null) {
      last.stop();
    }
  }
}
