package io.weir.redis.doctor;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.sync.RedisCommands;
import io.weir.redis.RedisAddress.Node;
import io.weir.redis.RedisAddress.Topology;
import io.weir.redis.RedisOptions;
import io.weir.redis.call.RedisErrors;
import io.weir.redis.doctor.Finding.Grade;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks one replica: whether Weir could continue with it after a failover.
 *
 * <p>Users, passwords and settings belong to a node and are not replicated. Errors in them show
 * only once the replica is the primary, so they are checked here. Everything is reported in one
 * finding: a problem that would stop Weir is a failure, any other is a warning.
 */
final class ReplicaDoctor {
  private static final String CHECK = "replica";
  private static final String UNUSABLE = "could not be used after a failover: ";

  private final Node replica;
  private final Node primary;
  private final NodeInfo primaryInfo;
  private final RedisOptions options;
  private final List<String> texts = new ArrayList<>();
  private final List<String> advice = new ArrayList<>();
  private Grade grade = Grade.OK;

  ReplicaDoctor(Node replica, Node primary, NodeInfo primaryInfo, RedisOptions options) {
    this.replica = replica;
    this.primary = primary;
    this.primaryInfo = primaryInfo;
    this.options = options;
  }

  /** The finding for a replica that could not be reached or refused the login. */
  Finding unavailable(RedisException problem) {
    String reason = RedisErrors.reason(problem);
    if (RedisErrors.isAboutPassword(reason)) {
      String user = options.credentials().user();
      fail(
          UNUSABLE + reason,
          user.isEmpty()
              ? "passwords are not replicated: set the same requirepass as on its primary"
              : "users are not replicated: create the user " + user + " there as on its primary");
    } else if (reason.startsWith("NOPERM")) {
      fail(UNUSABLE + reason, "users are not replicated: allow this user SELECT there too");
    } else if (reason.startsWith("TLS failed") && !reason.contains("timed out")) {
      fail(UNUSABLE + reason, RedisErrors.advice(problem, options));
    } else {
      warn("cannot be checked: " + reason, adviceIfUnreachable(problem));
    }
    return finding();
  }

  private String adviceIfUnreachable(RedisException problem) {
    if (!RedisErrors.reason(problem).startsWith("connection refused")) {
      return RedisErrors.advice(problem, options);
    }
    return "start it, and make it reachable from this machine"
        + (options.address().topology() == Topology.SENTINEL
            ? "; if it was removed for good: SENTINEL RESET " + options.address().master()
            : "");
  }

  Finding examine(RedisCommands<byte[], byte[]> node) {
    NodeInfo info = info(node);
    if (info.is("role", "master")) {
      warn("has become a primary", "a failover may be in progress; check again in a minute");
      return finding();
    }
    checkAcl(
        AclProbe.onReplica(
            node, options.address().topology() == Topology.CLUSTER, options.clock()));
    version(info);
    eviction(info);
    replication(info);
    if (grade == Grade.OK) {
      texts.add("could take over from " + primary + ": has the rights" + details(info));
    }
    return finding();
  }

  private static String details(NodeInfo info) {
    return info.fields().isEmpty()
        ? "; its version and eviction policy are unknown"
        : ", " + info.version() + ", " + info.text("maxmemory_policy");
  }

  private static NodeInfo info(RedisCommands<byte[], byte[]> node) {
    try {
      return NodeInfo.parse(node.info());
    } catch (RedisCommandExecutionException e) {
      return NodeInfo.UNKNOWN;
    }
  }

  private void checkAcl(AclProbe acl) {
    if (!acl.areComplete()) {
      fail(
          acl.refusal(),
          "users are not replicated; on this replica, " + acl.advice(options.credentials().name()));
    }
  }

  private void version(NodeInfo info) {
    String version = info.version();
    if (version.isEmpty()) {
      return;
    }
    if (!info.isAtLeast(6, 2)) {
      fail(version + " is too old", "Weir needs Redis 6.2 or later, or Valkey");
    } else if (!primaryInfo.version().isEmpty() && !version.equals(primaryInfo.version())) {
      warn(
          "is " + version + ", and its primary " + primaryInfo.version(),
          "use one version on both, unless you are upgrading now");
    }
  }

  private void eviction(NodeInfo info) {
    if (info.evictsLimits()) {
      warn(
          "maxmemory-policy is "
              + info.text("maxmemory_policy")
              + ": once it is primary and full, it evicts limits that are in use",
          "set maxmemory-policy noeviction there");
    }
  }

  private void replication(NodeInfo info) {
    if (info.is("master_link_status", "down")) {
      warn(
          "is not connected to its primary, and would take over with stale data",
          "check its log and the network");
    }
  }

  private void warn(String text, String advised) {
    note(Grade.WARN, text, advised);
  }

  private void fail(String text, String advised) {
    note(Grade.FAIL, text, advised);
  }

  private void note(Grade worse, String text, String advised) {
    grade = worse.compareTo(grade) > 0 ? worse : grade;
    texts.add(text);
    advice.add(advised);
  }

  private Finding finding() {
    return new Finding(
        CHECK, replica.toString(), grade, String.join("; ", texts), String.join("; ", advice));
  }
}
