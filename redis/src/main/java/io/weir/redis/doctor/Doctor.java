package io.weir.redis.doctor;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import io.weir.redis.RedisAddress;
import io.weir.redis.RedisAddress.Node;
import io.weir.redis.RedisOptions;
import io.weir.redis.RedisOptions.Credentials;
import io.weir.redis.call.RedisErrors;
import io.weir.redis.link.LettuceConfig;
import io.weir.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Checks a Redis deployment in the way a store would use it, and reports problems with advice.
 *
 * <p>The check blocks for as long as it needs. It writes one key per primary, which expires after a
 * second.
 */
public final class Doctor {
  private final RedisOptions options;
  private final TimeSource time;
  private final RedisClient client;
  private final List<Finding> findings = new ArrayList<>();

  private Doctor(RedisOptions options, TimeSource time, RedisClient client) {
    this.options = options;
    this.time = time;
    this.client = client;
  }

  /** All findings about the Redis of these options, in order. */
  public static List<Finding> examine(RedisOptions options, TimeSource time) {
    ClientOptions clientOptions;
    try {
      clientOptions =
          LettuceConfig.node(options).mutate().pingBeforeActivateConnection(false).build();
    } catch (IllegalArgumentException e) {
      return List.of(
          Finding.fail(
              "encryption",
              "",
              String.valueOf(e.getMessage()),
              "correct the files in tls.ca, tls.cert and tls.key"));
    }
    ClientResources resources = LettuceConfig.resources();
    RedisClient client = RedisClient.create(resources);
    try {
      client.setOptions(clientOptions);
      return new Doctor(options, time, client).examined();
    } finally {
      client.shutdown(0, 1, TimeUnit.SECONDS);
      LettuceConfig.close(resources);
    }
  }

  private List<Finding> examined() {
    RedisAddress address = options.address();
    switch (address.topology()) {
      case SINGLE, RING ->
          address.nodes().forEach(node -> examine(node, NodeDoctor.NodeDuty.ALONE));
      case SENTINEL -> examineMaster(new SentinelDoctor(client, address, findings));
      case CLUSTER -> examineCluster(address);
    }
    if (!address.tls() && !options.credentials().password().isEmpty() && isRemote(address)) {
      findings.add(
          Finding.warn(
              "encryption",
              "",
              "the password is sent unencrypted",
              "use rediss:// unless the network is private"));
    }
    return List.copyOf(findings);
  }

  private static boolean isRemote(RedisAddress address) {
    return address.nodes().stream()
        .map(Node::host)
        .anyMatch(
            host -> !host.equals("localhost") && !host.startsWith("127.") && !host.equals("::1"));
  }

  private void examineMaster(SentinelDoctor sentinels) {
    sentinels
        .master()
        .ifPresent(
            master ->
                examine(master, NodeDoctor.NodeDuty.MASTER)
                    .ifPresent(info -> compare(sentinels.replicasOf(master), master, info)));
  }

  private void examineCluster(RedisAddress address) {
    ClusterDoctor cluster = new ClusterDoctor(findings);
    for (Node seed : address.nodes()) {
      try (StatefulRedisConnection<byte[], byte[]> connection = connect(seed)) {
        if (connection != null && cluster.inspect(seed, connection.sync())) {
          break;
        }
      }
    }
    for (ClusterDoctor.ServingNode primary : cluster.primaries()) {
      examine(primary.node(), NodeDoctor.NodeDuty.inCluster(primary.slots()))
          .ifPresent(info -> compare(primary.replicas(), primary.node(), info));
    }
  }

  /**
   * Returns the {@code INFO} of a primary; empty if the node is not a primary or refuses this user.
   */
  private Optional<NodeInfo> examine(Node node, NodeDoctor.NodeDuty duty) {
    try (StatefulRedisConnection<byte[], byte[]> connection = connect(node)) {
      if (connection != null) {
        return new NodeDoctor(node, duty, options, time, findings).examine(connection.sync());
      }
    } catch (RedisException e) {
      findings.add(
          Finding.fail(
              "reach",
              node.toString(),
              "stopped answering: " + RedisErrors.reason(e),
              "check the log of this Redis and the network"));
    }
    return Optional.empty();
  }

  private void compare(List<Node> replicas, Node primary, NodeInfo info) {
    for (Node replica : replicas) {
      ReplicaDoctor doctor = new ReplicaDoctor(replica, primary, info, options);
      try (StatefulRedisConnection<byte[], byte[]> connection =
          client.connect(ByteArrayCodec.INSTANCE, anonymous(replica))) {
        logIn(connection.sync());
        ping(connection.sync());
        findings.add(doctor.examine(connection.sync()));
      } catch (RedisException e) {
        findings.add(doctor.unavailable(e));
      }
    }
  }

  /** A connection; or null, after adding a finding with the reason. */
  private @Nullable StatefulRedisConnection<byte[], byte[]> connect(Node node) {
    long start = time.micros();
    @Nullable StatefulRedisConnection<byte[], byte[]> connection = null;
    try {
      connection = client.connect(ByteArrayCodec.INSTANCE, anonymous(node));
      open(connection.sync());
      findings.add(
          Finding.ok(
              "reach",
              node.toString(),
              "connected as "
                  + options.credentials()
                  + (options.address().tls() ? " over TLS" : "")
                  + " in "
                  + RedisErrors.millis(time.micros() - start)));
      return connection;
    } catch (RedisException e) {
      findings.add(
          Finding.fail(
              "reach", node.toString(), RedisErrors.reason(e), RedisErrors.advice(e, options)));
      if (connection != null) {
        connection.close();
      }
      return null;
    }
  }

  /**
   * An address without password or database, so that the replies of Redis to those can be reported.
   */
  private RedisURI anonymous(Node node) {
    RedisURI uri = LettuceConfig.uri(options.credentials(Credentials.NONE), node);
    uri.setDatabase(0);
    return uri;
  }

  private void open(RedisCommands<byte[], byte[]> node) {
    logIn(node);
    if (options.address().topology() == RedisAddress.Topology.CLUSTER) {
      ping(node);
    } else {
      node.role();
    }
  }

  private void logIn(RedisCommands<byte[], byte[]> node) {
    Credentials credentials = options.credentials();
    if (!credentials.user().isEmpty()) {
      node.auth(credentials.user(), credentials.password());
    } else if (!credentials.password().isEmpty()) {
      node.auth(credentials.password());
    }
    if (options.address().database() != 0) {
      node.select(options.address().database());
    }
  }

  /** A user without the right to PING has still logged in successfully. */
  private static void ping(RedisCommands<byte[], byte[]> node) {
    try {
      node.ping();
    } catch (RedisCommandExecutionException e) {
      if (!RedisErrors.reason(e).startsWith("NOPERM")) {
        throw e;
      }
    }
  }
}
