package io.weir.redis.doctor;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import io.lettuce.core.sentinel.api.sync.RedisSentinelCommands;
import io.weir.redis.RedisAddress;
import io.weir.redis.RedisAddress.Node;
import io.weir.redis.call.RedisErrors;
import io.weir.redis.link.LettuceConfig;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Checks Sentinels: which master they name, and whether they agree and could replace it. */
final class SentinelDoctor {
  private static final String CHECK = "sentinel";

  private final RedisClient client;
  private final RedisAddress address;
  private final List<Finding> findings;
  private final Map<Node, List<Node>> sentinelsByMaster = new HashMap<>();
  private final Map<Node, Set<Node>> replicas = new HashMap<>();
  private boolean answered;

  SentinelDoctor(RedisClient client, RedisAddress address, List<Finding> findings) {
    this.client = client;
    this.address = address;
    this.findings = findings;
  }

  /** The master that most Sentinels name. */
  Optional<Node> master() {
    address.nodes().forEach(this::query);
    if (sentinelsByMaster.isEmpty()) {
      findings.add(
          Finding.fail(
              CHECK,
              "",
              "no Sentinel names a master called " + address.master(),
              answered
                  ? "correct the name in redis-sentinel://NAME@…"
                  : "correct the addresses of the Sentinels, or fix the problem reported for each"));
      return Optional.empty();
    }
    if (sentinelsByMaster.size() > 1) {
      findings.add(
          Finding.fail(
              CHECK,
              "",
              "the Sentinels name different masters: " + sentinelsByMaster.keySet(),
              "a failover may be in progress; check again in a minute"));
    }
    return sentinelsByMaster.keySet().stream()
        .max(
            (one, other) ->
                Integer.compare(
                    sentinelsByMaster.get(one).size(), sentinelsByMaster.get(other).size()));
  }

  /** The replicas that could take over from a master, according to any Sentinel. */
  List<Node> replicasOf(Node master) {
    return List.copyOf(replicas.getOrDefault(master, Set.of()));
  }

  private void query(Node sentinel) {
    RedisURI uri =
        RedisURI.builder()
            .withHost(sentinel.host())
            .withPort(sentinel.port())
            .withSsl(address.tls())
            .withVerifyPeer(SslVerifyMode.FULL)
            .withTimeout(LettuceConfig.CONNECT_TIMEOUT)
            .build();
    try (StatefulRedisSentinelConnection<String, String> connection =
        client.connectSentinel(StringCodec.UTF8, uri)) {
      RedisSentinelCommands<String, String> commands = connection.sync();
      SocketAddress master = commands.getMasterAddrByName(address.master());
      answered = true;
      if (master instanceof InetSocketAddress known) {
        Node node = new Node(known.getHostString(), known.getPort());
        sentinelsByMaster.computeIfAbsent(node, any -> new ArrayList<>()).add(sentinel);
        quorum(sentinel, node, commands);
        replicas
            .computeIfAbsent(node, any -> new LinkedHashSet<>())
            .addAll(candidates(commands.replicas(address.master())));
      } else {
        findings.add(
            Finding.warn(
                CHECK,
                sentinel.toString(),
                "knows no master called " + address.master() + ", " + others(commands),
                "check the address of the Sentinel and the master's name"));
      }
    } catch (RedisException e) {
      String reason = RedisErrors.reason(e);
      findings.add(Finding.warn(CHECK, sentinel.toString(), reason, advice(reason)));
    }
  }

  private static String others(RedisSentinelCommands<String, String> commands) {
    List<String> names = commands.masters().stream().map(master -> master.get("name")).toList();
    return names.isEmpty() ? "nor any other" : "but " + String.join(", ", names);
  }

  /** Advice for a Sentinel that could not be queried. */
  private String advice(String reason) {
    if (RedisErrors.isAboutPassword(reason)) {
      return "Weir queries Sentinels without a password: remove requirepass from its configuration";
    } else if (reason.startsWith("NOPERM")) {
      return "Weir queries Sentinels as the default user: allow it +sentinel there";
    } else if (reason.startsWith("DENIED")) {
      return "it is in protected mode: set protected-mode no in its configuration";
    } else if (reason.startsWith("ERR unknown command")) {
      return "this is not a Sentinel: use the port of one, usually 26379";
    } else if (reason.startsWith("TLS failed")) {
      return "is this its tls-port? set store.redis.tls.ca to the CA of its certificate";
    } else if (reason.startsWith("unknown host name")) {
      return "correct the host name, or make it resolvable on this machine";
    } else if (reason.startsWith("connection refused") && !reason.contains("timed out")) {
      return "start it: the others need a majority to replace a dead master";
    } else if (reason.contains("timed out") || reason.contains("o route to host")) {
      return "can this machine reach it, or is it stuck? check the network and its log";
    }
    return address.tls()
        ? "does this port speak TLS? check its log"
        : "check its log; if the Sentinel requires TLS, use rediss-sentinel://";
  }

  /** A replica with priority 0 is never promoted. */
  private static List<Node> candidates(List<Map<String, String>> replicas) {
    return replicas.stream()
        .filter(replica -> !"0".equals(replica.get("slave-priority")))
        .map(replica -> new Node(replica.get("ip"), Integer.parseInt(replica.get("port"))))
        .toList();
  }

  private void quorum(Node sentinel, Node master, RedisSentinelCommands<String, String> commands) {
    try {
      commands.dispatch(
          CommandType.SENTINEL,
          new StatusOutput<>(StringCodec.UTF8),
          new CommandArgs<>(StringCodec.UTF8).add("CKQUORUM").add(address.master()));
      findings.add(
          Finding.ok(CHECK, sentinel.toString(), "names " + master + ", and could replace it"));
    } catch (RedisCommandExecutionException e) {
      findings.add(
          Finding.warn(
              CHECK,
              sentinel.toString(),
              "names " + master + ", and could not replace it: " + RedisErrors.reason(e),
              "a majority of the Sentinels must see each other"));
    }
  }
}
