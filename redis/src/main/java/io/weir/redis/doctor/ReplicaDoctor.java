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
 * Looks at one replica: whether Weir could go on with it after a failover.
 *
 * <p>Users, passwords and settings belong to a node and are not replicated. What is wrong with them
 * shows only once the replica is the primary, which is why it is looked for here. All of it is said
 * in one finding: what would keep Weir from working fails, and the rest is to be looked into.
 */
final class ReplicaDoctor {
  private static final String CHECK = "replica";
  private static final String USELESS = "could not be used after a failover: ";

  private final Node replica;
  private final Node primary;
  private final NodeInfo ofPrimary;
  private final RedisOptions options;
  private final List<String> texts = new ArrayList<>();
  private final List<String> advice = new ArrayList<>();
  private Grade grade = Grade.OK;

  ReplicaDoctor(Node replica, Node primary, NodeInfo ofPrimary, RedisOptions options) {
    this.replica = replica;
    this.primary = primary;
    this.ofPrimary = ofPrimary;
    this.options = options;
  }

  /** What to say of one that could not be reached or entered. */
  Finding away(RedisException problem) {
    String reason = RedisErrors.reason(problem);
    if (RedisErrors.isAboutPassword(reason)) {
      String user = options.credentials().user();
      fail(
          USELESS + reason,
          user.isEmpty()
              ? "passwords are not replicated: let it ask for the same one as its primary"
              : "users are not replicated: make the user " + user + " there as on its primary");
    } else if (reason.startsWith("NOPERM")) {
      fail(USELESS + reason, "users are not replicated: allow this user SELECT there too");
    } else if (reason.startsWith("no TLS") && !reason.contains("timed out")) {
      fail(USELESS + reason, RedisErrors.advice(problem, options));
    } else {
      warn("cannot be looked at: " + reason, adviceWhereAway(problem));
    }
    return finding();
  }

  private String adviceWhereAway(RedisException problem) {
    if (!RedisErrors.reason(problem).startsWith("nobody")) {
      return RedisErrors.advice(problem, options);
    }
    return "start it again, and let this machine reach it"
        + (options.address().topology() == Topology.SENTINEL
            ? "; if it is gone for good: SENTINEL RESET " + options.address().master()
            : "");
  }

  Finding examine(RedisCommands<byte[], byte[]> node) {
    NodeInfo info = info(node);
    if (info.is("role", "master")) {
      warn("is a primary by now", "a failover may be under way; look again in a minute");
      return finding();
    }
    rights(
        AclProbe.onReplica(
            node, options.address().topology() == Topology.CLUSTER, options.clock()));
    version(info);
    eviction(info);
    link(info);
    if (grade == Grade.OK) {
      texts.add("could take over from " + primary + ": has the rights" + told(info));
    }
    return finding();
  }

  private static String told(NodeInfo info) {
    return info.fields().isEmpty()
        ? "; does not tell its version and eviction"
        : ", " + info.version() + ", " + info.text("maxmemory_policy");
  }

  private static NodeInfo info(RedisCommands<byte[], byte[]> node) {
    try {
      return NodeInfo.parse(node.info());
    } catch (RedisCommandExecutionException e) {
      return NodeInfo.SILENT;
    }
  }

  private void rights(AclProbe rights) {
    if (!rights.areComplete()) {
      fail(
          rights.refusal(),
          "users are not replicated; on this replica, "
              + rights.advice(options.credentials().name()));
    }
  }

  private void version(NodeInfo info) {
    String version = info.version();
    if (version.isEmpty()) {
      return;
    }
    if (!info.isAtLeast(6, 2)) {
      fail(version + " is too old", "Weir needs Redis 6.2 or later, or Valkey");
    } else if (!ofPrimary.version().isEmpty() && !version.equals(ofPrimary.version())) {
      warn(
          "is " + version + ", and its primary " + ofPrimary.version(),
          "bring both to one version, unless you are upgrading now");
    }
  }

  private void eviction(NodeInfo info) {
    if (info.forgetsLimits()) {
      warn(
          "maxmemory-policy is "
              + info.text("maxmemory_policy")
              + ": once it is primary and full, it forgets limits that are in use",
          "set maxmemory-policy noeviction there");
    }
  }

  private void link(NodeInfo info) {
    if (info.is("master_link_status", "down")) {
      warn(
          "is not in step with its primary, and would take over with what it had",
          "look at its log and at the network");
    }
  }

  private void warn(String text, String what) {
    note(Grade.WARN, text, what);
  }

  private void fail(String text, String what) {
    note(Grade.FAIL, text, what);
  }

  private void note(Grade worse, String text, String what) {
    grade = worse.compareTo(grade) > 0 ? worse : grade;
    texts.add(text);
    advice.add(what);
  }

  private Finding finding() {
    return new Finding(
        CHECK, replica.toString(), grade, String.join("; ", texts), String.join("; ", advice));
  }
}
