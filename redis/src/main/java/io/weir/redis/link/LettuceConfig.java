package io.weir.redis.link;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.util.concurrent.EventExecutor;
import io.weir.redis.RedisAddress.Node;
import io.weir.redis.RedisOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How the Redis client is set up; its defaults are made for caches, not for limits.
 *
 * <p>By default it waits for ever, queues without bound, and after a reconnect sends again what had
 * not been answered. A take that is sent again may be applied twice, so here nothing is.
 */
public final class LettuceConfig {
  /** How long connecting and asking for the topology may take. */
  public static final Duration PATIENCE = Duration.ofSeconds(2);

  private static final int QUEUE = 10_000;
  private static final Duration TOPOLOGY_EVERY = Duration.ofSeconds(2);
  private static final int MAX_REDIRECTS = 5;

  /**
   * One loop does for two cores: on a Cluster, loops that wake each other cost more than they do.
   */
  private static final int LOOPS = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);

  private static final int CALLS_PER_WRITE = 64;

  /**
   * Calls that are made one after the other on a loop, as when an answer sets many callers free, go
   * out in one write at the end of that turn.
   */
  private static final NettyCustomizer FEWER_WRITES =
      new NettyCustomizer() {
        @Override
        public void afterChannelInitialized(Channel channel) {
          channel.pipeline().addFirst(new FlushConsolidationHandler(CALLS_PER_WRITE, true));
        }
      };

  private LettuceConfig() {}

  /** For single nodes, whose calls are few and shared by many: each is written at once. */
  public static ClientResources resources() {
    return resourcesBuilder().build();
  }

  /**
   * As {@link #resources()}.
   *
   * @param loops takes the event loop of every connection
   */
  static ClientResources resources(Consumer<EventExecutor> loops) {
    return resourcesBuilder().nettyCustomizer(telling(loops)).build();
  }

  /**
   * For a Cluster, where calls are many and small.
   *
   * @param loops takes the event loop of every connection
   */
  public static ClientResources clusterResources(Consumer<EventExecutor> loops) {
    NettyCustomizer telling = telling(loops);
    return resourcesBuilder()
        .nettyCustomizer(
            new NettyCustomizer() {
              @Override
              public void afterChannelInitialized(Channel channel) {
                FEWER_WRITES.afterChannelInitialized(channel);
                telling.afterChannelInitialized(channel);
              }
            })
        .build();
  }

  private static NettyCustomizer telling(Consumer<EventExecutor> loops) {
    return new NettyCustomizer() {
      @Override
      public void afterChannelInitialized(Channel channel) {
        loops.accept(channel.eventLoop());
      }
    };
  }

  private static ClientResources.Builder resourcesBuilder() {
    return ClientResources.builder()
        .eventLoopGroupProvider(new DefaultEventLoopGroupProvider(LOOPS))
        .computationThreadPoolSize(2)
        .commandLatencyRecorder(CommandLatencyRecorder.disabled()) // NodeHealth does that
        // Half of it is chance. A shortest wait of more than half would take that from the first.
        .reconnectDelay(
            Delay.fullJitter(Duration.ofMillis(50), PATIENCE, 100, TimeUnit.MILLISECONDS));
  }

  public static void close(ClientResources resources) {
    resources.shutdown(0, 1, TimeUnit.SECONDS);
    resources.eventLoopGroupProvider().shutdown(0, 1, TimeUnit.SECONDS);
  }

  /** For a connection that is never made again by the client itself. */
  public static ClientOptions node(RedisOptions options) {
    return common(ClientOptions.builder(), options).autoReconnect(false).build();
  }

  /** For a Cluster, whose client follows the topology and reconnects by itself. */
  static ClusterClientOptions cluster(RedisOptions options) {
    ClusterClientOptions.Builder builder =
        ClusterClientOptions.builder()
            .validateClusterNodeMembership(false)
            .maxRedirects(MAX_REDIRECTS)
            .topologyRefreshOptions(
                ClusterTopologyRefreshOptions.builder()
                    .enablePeriodicRefresh(TOPOLOGY_EVERY)
                    .enableAllAdaptiveRefreshTriggers()
                    .adaptiveRefreshTriggersTimeout(Duration.ofMillis(500))
                    .refreshTriggersReconnectAttempts(1)
                    .build());
    common(builder, options);
    return builder.build();
  }

  private static ClientOptions.Builder common(ClientOptions.Builder builder, RedisOptions options) {
    return builder
        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
        .replayFilter(LettuceConfig::giveUp)
        .requestQueueSize(QUEUE)
        // Deadlines do that, without a timer for every call.
        .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
        .protocolVersion(ProtocolVersion.RESP2)
        .socketOptions(
            SocketOptions.builder()
                .connectTimeout(PATIENCE)
                .keepAlive(true)
                .tcpNoDelay(true)
                .build())
        .sslOptions(ssl(options.tls()));
  }

  /**
   * What was not answered is not sent again. The client forgets what it is told not to send, so
   * whoever waits for it is told here.
   */
  private static boolean giveUp(RedisCommand<?, ?, ?> command) {
    command.completeExceptionally(new RedisException("the connection was lost"));
    return true;
  }

  /**
   * The certificates to trust and to show.
   *
   * @throws IllegalArgumentException if a file is missing or holds something else
   */
  static SslOptions ssl(RedisOptions.Tls tls) {
    SslOptions.Builder builder = SslOptions.builder().jdkSslProvider().handshakeTimeout(PATIENCE);
    tls.ca().ifPresent(ca -> builder.trustManager(ca.toFile()));
    tls.certificate()
        .ifPresent(
            certificate ->
                builder.keyManager(
                    certificate.toFile(), tls.key().orElseThrow().toFile(), new char[0]));
    SslOptions ssl = builder.build();
    if (!tls.equals(RedisOptions.Tls.PLATFORM)) {
      check(ssl, tls);
    }
    return ssl;
  }

  /** Reads the files once now; otherwise every connection would fail because of them later. */
  private static void check(SslOptions ssl, RedisOptions.Tls tls) {
    try {
      ssl.createSslContextBuilder().build();
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      String files =
          Stream.of(tls.ca(), tls.certificate(), tls.key())
              .flatMap(Optional::stream)
              .map(Path::toString)
              .collect(Collectors.joining(", "));
      throw new IllegalArgumentException(
          "cannot use the certificates in " + files + ": " + e.getMessage(), e);
    }
  }

  /** The address of one node. */
  public static RedisURI uri(RedisOptions options, Node node) {
    return with(options, RedisURI.builder().withHost(node.host()).withPort(node.port()));
  }

  /**
   * The address of the master that Sentinels name. With TLS, Sentinels are asked over it too; they
   * are never told the password.
   */
  static RedisURI sentinelUri(RedisOptions options) {
    RedisURI.Builder builder = null;
    for (Node node : options.address().nodes()) {
      builder =
          builder == null
              ? RedisURI.Builder.sentinel(node.host(), node.port(), options.address().master())
              : builder.withSentinel(node.host(), node.port());
    }
    return with(options, Objects.requireNonNull(builder));
  }

  private static RedisURI with(RedisOptions options, RedisURI.Builder builder) {
    RedisOptions.Credentials who = options.credentials();
    if (!who.user().isEmpty()) {
      builder.withAuthentication(who.user(), who.password());
    } else if (!who.password().isEmpty()) {
      builder.withPassword((CharSequence) who.password());
    }
    return builder
        .withSsl(options.address().tls())
        .withVerifyPeer(SslVerifyMode.FULL)
        .withDatabase(options.address().database())
        .withClientName("weir")
        .withTimeout(PATIENCE)
        .build();
  }
}
