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
 * Configuration of the Redis client. Its defaults suit caches, not limits.
 *
 * <p>By default the client waits forever, queues without bound, and after a reconnect sends
 * unanswered commands again. A take that is sent again may be applied twice, so here no command is.
 */
public final class LettuceConfig {
  /** Timeout for connecting and for topology requests. */
  public static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

  private static final int QUEUE = 10_000;
  private static final Duration TOPOLOGY_EVERY = Duration.ofSeconds(2);
  private static final int MAX_REDIRECTS = 5;

  /**
   * One event loop per two cores: on a Cluster, loops that wake each other cost more than they
   * save.
   */
  private static final int LOOPS = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);

  private static final int CALLS_PER_WRITE = 64;

  /**
   * Combines calls that one event loop makes in one turn, for example when a reply completes many
   * callers, into one write at the end of the turn.
   */
  private static final NettyCustomizer FEWER_WRITES =
      new NettyCustomizer() {
        @Override
        public void afterChannelInitialized(Channel channel) {
          channel.pipeline().addFirst(new FlushConsolidationHandler(CALLS_PER_WRITE, true));
        }
      };

  private LettuceConfig() {}

  /** For single nodes, which get few, batched calls: each is written at once. */
  public static ClientResources resources() {
    return resourcesBuilder().build();
  }

  /**
   * As {@link #resources()}.
   *
   * @param loops receives the event loop of every connection
   */
  static ClientResources resources(Consumer<EventExecutor> loops) {
    return resourcesBuilder().nettyCustomizer(reporting(loops)).build();
  }

  /**
   * For a Cluster, which gets many small calls.
   *
   * @param loops receives the event loop of every connection
   */
  public static ClientResources clusterResources(Consumer<EventExecutor> loops) {
    NettyCustomizer reporting = reporting(loops);
    return resourcesBuilder()
        .nettyCustomizer(
            new NettyCustomizer() {
              @Override
              public void afterChannelInitialized(Channel channel) {
                FEWER_WRITES.afterChannelInitialized(channel);
                reporting.afterChannelInitialized(channel);
              }
            })
        .build();
  }

  private static NettyCustomizer reporting(Consumer<EventExecutor> loops) {
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
        .commandLatencyRecorder(CommandLatencyRecorder.disabled()) // NodeHealth measures it
        // Half of the delay is random. A minimum of more than half would remove the jitter from
        // the first delay.
        .reconnectDelay(
            Delay.fullJitter(Duration.ofMillis(50), CONNECT_TIMEOUT, 100, TimeUnit.MILLISECONDS));
  }

  public static void close(ClientResources resources) {
    resources.shutdown(0, 1, TimeUnit.SECONDS);
    resources.eventLoopGroupProvider().shutdown(0, 1, TimeUnit.SECONDS);
  }

  /** For connections that the client does not re-establish by itself. */
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
        .replayFilter(LettuceConfig::failUnanswered)
        .requestQueueSize(QUEUE)
        // DeadlineQueue does that, without a timer per call.
        .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
        .protocolVersion(ProtocolVersion.RESP2)
        .socketOptions(
            SocketOptions.builder()
                .connectTimeout(CONNECT_TIMEOUT)
                .keepAlive(true)
                .tcpNoDelay(true)
                .build())
        .sslOptions(ssl(options.tls()));
  }

  /**
   * Fails unanswered commands instead of sending them again. The client drops a filtered command
   * without completing it, so that is done here.
   */
  private static boolean failUnanswered(RedisCommand<?, ?, ?> command) {
    command.completeExceptionally(new RedisException("the connection was lost"));
    return true;
  }

  /**
   * The certificates to trust and to present.
   *
   * @throws IllegalArgumentException if a file is missing or holds something else
   */
  static SslOptions ssl(RedisOptions.Tls tls) {
    SslOptions.Builder builder =
        SslOptions.builder().jdkSslProvider().handshakeTimeout(CONNECT_TIMEOUT);
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

  /** Reads the files now; otherwise every connection would fail because of them later. */
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
   * The address of the master that Sentinels name. With TLS, Sentinels are contacted over TLS too.
   * They never receive the password.
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
    RedisOptions.Credentials credentials = options.credentials();
    if (!credentials.user().isEmpty()) {
      builder.withAuthentication(credentials.user(), credentials.password());
    } else if (!credentials.password().isEmpty()) {
      builder.withPassword((CharSequence) credentials.password());
    }
    return builder
        .withSsl(options.address().tls())
        .withVerifyPeer(SslVerifyMode.FULL)
        .withDatabase(options.address().database())
        .withClientName("weir")
        .withTimeout(CONNECT_TIMEOUT)
        .build();
  }
}
