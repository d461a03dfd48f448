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

/** Asks Sentinels who the master is, and whether they agree and could replace it. */
final class SentinelDoctor {
  private static final String CHECK = "sentinel";

  private final RedisClient client;
  private final RedisAddress address;
  private final List<Finding> findings;
  private final Map<Node, List<Node>> named = new HashMap<>();
  private final Map<Node, Set<Node>> replicas = new HashMap<>();
  private boolean answered;

  SentinelDoctor(RedisClient client, RedisAddress address, List<Finding> findings) {
    this.client = client;
    this.address = address;
    this.findings = findings;
  }

  /** The master that most Sentinels name. */
  Optional<Node> master() {
    address.nodes().forEach(this::ask);
    if (named.isEmpty()) {
      findings.add(
          Finding.fail(
              CHECK,
              "",
              "no Sentinel names a master called " + address.master(),
              answered
                  ? "correct the name in redis-sentinel://NAME@…"
                  : "correct the addresses of the Sentinels, or what keeps each from answering"));
      return Optional.empty();
    }
    if (named.size() > 1) {
      findings.add(
          Finding.fail(
              CHECK,
              "",
              "they name different masters: " + named.keySet(),
              "a failover may be under way; look again in a minute"));
    }
    return named.keySet().stream()
        .max((one, other) -> Integer.compare(named.get(one).size(), named.get(other).size()));
  }

  /** Those that could take over from a master, as any Sentinel knows them. */
  List<Node> replicasOf(Node master) {
    return List.copyOf(replicas.getOrDefault(master, Set.of()));
  }

  private void ask(Node sentinel) {
    RedisURI uri =
        RedisURI.builder()
            .withHost(sentinel.host())
            .withPort(sentinel.port())
            .withSsl(address.tls())
            .withVerifyPeer(SslVerifyMode.FULL)
            .withTimeout(LettuceConfig.PATIENCE)
            .build();
    try (StatefulRedisSentinelConnection<String, String> connection =
        client.connectSentinel(StringCodec.UTF8, uri)) {
      RedisSentinelCommands<String, String> commands = connection.sync();
      SocketAddress master = commands.getMasterAddrByName(address.master());
      answered = true;
      if (master instanceof InetSocketAddress known) {
        Node node = new Node(known.getHostString(), known.getPort());
        named.computeIfAbsent(node, any -> new ArrayList<>()).add(sentinel);
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
                "is this the right Sentinel, and the right name?"));
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

  /** What to do about a Sentinel that could not be asked. */
  private String advice(String reason) {
    if (RedisErrors.isAboutPassword(reason)) {
      return "Sentinels are asked without a password: take requirepass out of its configuration";
    } else if (reason.startsWith("NOPERM")) {
      return "Sentinels are asked as their default user: allow it +sentinel there";
    } else if (reason.startsWith("DENIED")) {
      return "it is in protected mode: set protected-mode no in its configuration";
    } else if (reason.startsWith("ERR unknown command")) {
      return "this is no Sentinel: name the port of one, mostly 26379";
    } else if (reason.startsWith("no TLS")) {
      return "is its tls-port named here? name its authority in store.redis.tls.ca";
    } else if (reason.startsWith("the name")) {
      return "correct the name of that host, or make it known to this machine";
    } else if (reason.startsWith("nobody") && !reason.contains("timed out")) {
      return "start it again: the others need a majority to replace a dead master";
    } else if (reason.contains("timed out") || reason.contains("o route to host")) {
      return "may this machine reach it, or is it stuck? look at the network and at its log";
    }
    return address.tls()
        ? "is there TLS at that port? look at its log"
        : "look at its log; a Sentinel that wants TLS is rediss-sentinel://";
  }

  /** Who has priority 0 is never promoted. */
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
