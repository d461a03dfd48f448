package io.weir.redis.doctor;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.sync.RedisCommands;
import io.weir.redis.RedisAddress.Node;
import io.weir.redis.RedisOptions;
import io.weir.redis.call.RedisErrors;
import io.weir.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Checks one primary. */
final class NodeDoctor {
  private static final long MAX_OFFSET_MICROS = 1_000_000;
  private static final int CLOCK_READINGS = 10;
  private static final int MAX_MEMORY_PERCENT = 80;
  private static final String FULL_COVERAGE = "cluster-require-full-coverage";

  /**
   * The node's role in the deployment.
   *
   * @param slot a slot that it serves; −1 outside of a Cluster
   * @param replicated whether a replica should take over from it
   */
  record NodeDuty(int slot, boolean replicated) {
    static final NodeDuty ALONE = new NodeDuty(-1, false);
    static final NodeDuty MASTER = new NodeDuty(-1, true);

    static NodeDuty inCluster(List<Integer> slots) {
      return new NodeDuty(slots.get(0), false); // replicas are checked for the Cluster as a whole
    }

    boolean isInCluster() {
      return slot >= 0;
    }
  }

  private final String where;
  private final NodeDuty duty;
  private final RedisOptions options;
  private final TimeSource time;
  private final List<Finding> findings;

  NodeDoctor(
      Node node, NodeDuty duty, RedisOptions options, TimeSource time, List<Finding> findings) {
    this.where = node.toString();
    this.duty = duty;
    this.options = options;
    this.time = time;
    this.findings = findings;
  }

  /** Returns the node's {@code INFO}; empty if it is not a primary. */
  Optional<NodeInfo> examine(RedisCommands<byte[], byte[]> node) {
    NodeInfo info = info(node);
    version(info);
    if (!role(node, info)) {
      return Optional.empty();
    }
    AclProbe acl = AclProbe.onPrimary(node, duty.slot(), options.clock());
    checkAcl(acl);
    scriptClock(acl);
    clock(node);
    latency(node, acl);
    memory(info);
    persistence(info);
    if (duty.isInCluster()) {
      coverage(node);
    }
    return Optional.of(info);
  }

  private void ok(String check, String text) {
    findings.add(Finding.ok(check, where, text));
  }

  private void warn(String check, String text, String advice) {
    findings.add(Finding.warn(check, where, text, advice));
  }

  private void fail(String check, String text, String advice) {
    findings.add(Finding.fail(check, where, text, advice));
  }

  private NodeInfo info(RedisCommands<byte[], byte[]> node) {
    try {
      return NodeInfo.parse(node.info());
    } catch (RedisCommandExecutionException e) {
      warn(
          "info",
          "version, memory and persistence are unknown: " + RedisErrors.reason(e),
          "Weir works without INFO; to check these too, allow this user +info");
      return NodeInfo.UNKNOWN;
    }
  }

  private void version(NodeInfo info) {
    String name = info.version();
    if (name.isEmpty()) {
      return;
    }
    if (info.isAtLeast(6, 2)) {
      ok("version", name);
    } else {
      fail("version", name + " is too old", "Weir needs Redis 6.2 or later, or Valkey");
    }
  }

  /** Whether the further checks make sense. */
  private boolean role(RedisCommands<byte[], byte[]> node, NodeInfo info) {
    if (info.isSentinel()) {
      fail("role", "this is a Sentinel, not a Redis", "use redis-sentinel://MASTER@" + where);
      return false;
    }
    if (!duty.isInCluster() && info.is("cluster_enabled", "1")) {
      fail("role", "this is a node of a Cluster", "use redis-cluster://" + where);
      return false;
    }
    String role;
    try {
      role = duty.isInCluster() ? info.text("role") : roleOf(node);
    } catch (RedisCommandExecutionException e) {
      return true; // reported with the other rights
    }
    if (role.isEmpty()) {
      return true; // CLUSTER NODES has shown which node serves which slots
    }
    if (!role.equals("master")) {
      fail(
          "role",
          "this is a replica (" + role + "); Weir needs a primary",
          "use the address of the primary, or of its Sentinels");
      return false;
    }
    if (info.fields().isEmpty()) {
      ok("role", "primary");
      return true;
    }
    long replicas = info.number("connected_slaves");
    if (duty.replicated() && replicas == 0) {
      warn(
          "role",
          "primary without a replica: no node can take over from it",
          "add a replica, or accept that its keys are unavailable when it is down");
    } else {
      ok("role", "primary, " + replicas + (replicas == 1 ? " replica" : " replicas"));
    }
    return true;
  }

  private static String roleOf(RedisCommands<byte[], byte[]> node) {
    return new String((byte[]) node.role().get(0), StandardCharsets.US_ASCII);
  }

  private void checkAcl(AclProbe acl) {
    if (acl.areComplete()) {
      ok("rights", "may " + String.join(", ", acl.allowed()));
    } else {
      fail("rights", acl.refusal(), acl.advice(options.credentials().name()));
    }
    acl.problem()
        .ifPresent(
            problem ->
                fail(
                    "write",
                    "writes fail: " + problem,
                    problem.startsWith("OOM")
                        ? "raise maxmemory, or use a separate Redis for Weir"
                        : "check the log of this Redis"));
  }

  private void scriptClock(AclProbe acl) {
    boolean usesStoreClock = options.clock() == RedisOptions.Clock.STORE;
    if (acl.canReadTimeInScripts()) {
      ok("script time", "scripts can read the clock of Redis");
    } else if (acl.areComplete() && usesStoreClock) {
      fail(
          "script time",
          "scripts cannot read the clock: " + acl.scriptReason(),
          "set store.redis.clock: instance");
    } else if (acl.areComplete()) {
      ok("script time", "scripts cannot read the clock; not needed with clock: instance");
    }
  }

  private void clock(RedisCommands<byte[], byte[]> node) {
    long bestTrip = Long.MAX_VALUE;
    long offset = 0;
    try {
      for (int i = 0; i < CLOCK_READINGS; i++) {
        long sent = time.micros();
        List<byte[]> reply = node.time();
        long received = time.micros();
        if (received - sent < bestTrip) {
          bestTrip = received - sent;
          long nodeMicros = number(reply.get(0)) * 1_000_000 + number(reply.get(1));
          offset = nodeMicros - (time.wallMicros() - (time.micros() - sent) + bestTrip / 2);
        }
      }
    } catch (RedisCommandExecutionException e) {
      if (options.clock() == RedisOptions.Clock.INSTANCE) {
        warn(
            "clock",
            "refuses TIME: " + RedisErrors.reason(e),
            "every instance then uses its own wall clock: synchronize them with NTP");
      }
      return;
    }
    String text =
        String.format(
            Locale.ROOT,
            "%s %s this machine (± %s)",
            RedisErrors.millis(Math.abs(offset)),
            offset < 0 ? "behind" : "ahead of",
            RedisErrors.millis(bestTrip / 2));
    if (Math.abs(offset) > MAX_OFFSET_MICROS + bestTrip / 2) {
      warn(
          "clock",
          text,
          "decisions use the clock of Redis and are not affected, but logs and quotas will look"
              + " odd: run NTP on both");
    } else {
      ok("clock", text);
    }
  }

  private static long number(byte[] digits) {
    return Long.parseLong(new String(digits, StandardCharsets.US_ASCII));
  }

  /** A call may have to wait for the one before it, so two must fit into the timeout. */
  private void latency(RedisCommands<byte[], byte[]> node, AclProbe acl) {
    List<String> texts = new ArrayList<>();
    long worst = measure("PING", node::ping, texts);
    if (acl.areComplete()) {
      worst = Math.max(worst, measure("a decision", acl::runLook, texts));
    }
    String text = String.join("; ", texts);
    long timeout = options.timeout().toNanos() / 1000;
    if (worst > timeout) {
      warn(
          "latency",
          text + "; the timeout is " + RedisErrors.millis(timeout),
          "calls that take longer, including their wait for others, follow on_fail: move Redis"
              + " closer, or raise store.redis.timeout");
    } else {
      ok("latency", text);
    }
  }

  /**
   * Adds the latency of an action to the texts; returns its p99, or twice its p50 if that is
   * longer, in µs.
   */
  private long measure(String name, Runnable action, List<String> texts) {
    try {
      LatencySample latency = LatencySample.of(action, time);
      texts.add(name + " " + latency);
      return Math.max(latency.p99(), 2 * latency.p50());
    } catch (RedisCommandExecutionException e) {
      texts.add(name + " is refused: " + RedisErrors.reason(e));
      return 0;
    }
  }

  private void memory(NodeInfo info) {
    String policy = info.text("maxmemory_policy");
    if (policy.isEmpty()) {
      return;
    }
    if (policy.equals("volatile-ttl")) {
      ok(
          "eviction",
          policy + ": a full Redis evicts the least used limits first; avoid filling it");
    } else if (info.evictsLimits()) {
      warn(
          "eviction",
          "maxmemory-policy is " + policy + ": a full Redis evicts limits that are in use",
          "set maxmemory-policy noeviction, or use a separate Redis for Weir");
    } else {
      ok("eviction", policy);
    }
    long most = info.number("maxmemory");
    long used = info.number("used_memory");
    String text =
        "uses " + megabytes(used) + (most == 0 ? ", no maxmemory" : " of " + megabytes(most));
    if (most > 0 && used * 100 > most * MAX_MEMORY_PERCENT) {
      warn("memory", text, "raise maxmemory, or add nodes; see sizing in docs/deploy/redis.md");
    } else {
      ok("memory", text);
    }
  }

  private static String megabytes(long bytes) {
    return String.format(Locale.ROOT, "%.1f MB", bytes / 1048576.0);
  }

  private void persistence(NodeInfo info) {
    if (info.text("aof_enabled").isEmpty()) {
      return;
    }
    if (info.is("rdb_last_bgsave_status", "err") || info.is("aof_last_write_status", "err")) {
      warn(
          "persistence",
          "the last save to disk failed; Redis may refuse writes (MISCONF)",
          "check its disk and its log");
      return;
    }
    ok(
        "persistence",
        info.is("aof_enabled", "1")
            ? "append-only file: a restart loses the writes that are not on disk yet"
            : "no append-only file: a restart loses all usage since the last snapshot, or all if"
                + " there is none");
  }

  /**
   * Whether the node serves its keys while other slots have no node. Many users may not read it.
   */
  private void coverage(RedisCommands<byte[], byte[]> node) {
    try {
      if ("yes".equals(node.configGet(FULL_COVERAGE).get(FULL_COVERAGE))) {
        warn(
            "cluster",
            FULL_COVERAGE + " is yes: while any slot has no node, the whole Cluster is down",
            "set "
                + FULL_COVERAGE
                + " no on all nodes, so that a dead node affects its own keys only");
      }
    } catch (RedisCommandExecutionException e) {
      // Weir works without this.
    }
  }
}
