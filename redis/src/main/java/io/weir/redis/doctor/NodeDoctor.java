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

/** Looks at one primary. */
final class NodeDoctor {
  private static final long MOST_OFFSET_MICROS = 1_000_000;
  private static final int CLOCK_READINGS = 10;
  private static final int ENOUGH_MEMORY_PERCENT = 80;
  private static final String FULL_COVERAGE = "cluster-require-full-coverage";

  /**
   * What a node is part of.
   *
   * @param slot a slot that it serves; −1 outside of a Cluster
   * @param replicated whether a replica takes over from it
   */
  record NodeDuty(int slot, boolean replicated) {
    static final NodeDuty ALONE = new NodeDuty(-1, false);
    static final NodeDuty MASTER = new NodeDuty(-1, true);

    static NodeDuty inCluster(List<Integer> slots) {
      return new NodeDuty(slots.get(0), false); // whether it has replicas is said of the whole
    }

    boolean isInCluster() {
      return slot >= 0;
    }
  }

  private final String where;
  private final NodeDuty part;
  private final RedisOptions options;
  private final TimeSource time;
  private final List<Finding> findings;

  NodeDoctor(
      Node node, NodeDuty part, RedisOptions options, TimeSource time, List<Finding> findings) {
    this.where = node.toString();
    this.part = part;
    this.options = options;
    this.time = time;
    this.findings = findings;
  }

  /** Returns what it says about itself; empty if it is no primary. */
  Optional<NodeInfo> examine(RedisCommands<byte[], byte[]> node) {
    NodeInfo info = info(node);
    version(info);
    if (!role(node, info)) {
      return Optional.empty();
    }
    AclProbe rights = AclProbe.onPrimary(node, part.slot(), options.clock());
    rights(rights);
    scriptClock(rights);
    clock(node);
    latency(node, rights);
    memory(info);
    persistence(info);
    if (part.isInCluster()) {
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
          "does not tell its version, memory and persistence: " + RedisErrors.reason(e),
          "Weir does not need it; to have it checked, allow this user +info");
      return NodeInfo.SILENT;
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

  /** Whether it makes sense to look further. */
  private boolean role(RedisCommands<byte[], byte[]> node, NodeInfo info) {
    if (info.isSentinel()) {
      fail(
          "role", "this is a Sentinel and no Redis", "name it as redis-sentinel://MASTER@" + where);
      return false;
    }
    if (!part.isInCluster() && info.is("cluster_enabled", "1")) {
      fail("role", "this is a node of a Cluster", "name it as redis-cluster://" + where);
      return false;
    }
    String role;
    try {
      role = part.isInCluster() ? info.text("role") : askedRole(node);
    } catch (RedisCommandExecutionException e) {
      return true; // told with the other rights
    }
    if (role.isEmpty()) {
      return true; // a Cluster says by itself who serves what
    }
    if (!role.equals("master")) {
      fail(
          "role",
          "this is a replica (" + role + "), and limits are kept on primaries only",
          "name the primary, or the Sentinels that know it");
      return false;
    }
    if (info.fields().isEmpty()) {
      ok("role", "primary");
      return true;
    }
    long replicas = info.number("connected_slaves");
    if (part.replicated() && replicas == 0) {
      warn(
          "role",
          "primary without a replica: nobody takes over from it",
          "add a replica, or accept that its keys are away when it is");
    } else {
      ok("role", "primary, " + replicas + (replicas == 1 ? " replica" : " replicas"));
    }
    return true;
  }

  private static String askedRole(RedisCommands<byte[], byte[]> node) {
    return new String((byte[]) node.role().get(0), StandardCharsets.US_ASCII);
  }

  private void rights(AclProbe rights) {
    if (rights.areComplete()) {
      ok("rights", "may " + String.join(", ", rights.allowed()));
    } else {
      fail("rights", rights.refusal(), rights.advice(options.credentials().name()));
    }
    rights
        .trouble()
        .ifPresent(
            trouble ->
                fail(
                    "write",
                    "cannot be written to: " + trouble,
                    trouble.startsWith("OOM")
                        ? "raise maxmemory, or give Weir a Redis of its own"
                        : "look at the log of that Redis"));
  }

  private void scriptClock(AclProbe rights) {
    boolean stores = options.clock() == RedisOptions.Clock.STORE;
    if (rights.tellsTimeInScripts()) {
      ok("script time", "scripts can read the clock of Redis");
    } else if (rights.areComplete() && stores) {
      fail(
          "script time",
          "scripts cannot read the clock: " + rights.scriptReason(),
          "set store.redis.clock: instance");
    } else if (rights.areComplete()) {
      ok("script time", "scripts cannot read the clock, and need not: clock is instance");
    }
  }

  private void clock(RedisCommands<byte[], byte[]> node) {
    long bestTrip = Long.MAX_VALUE;
    long offset = 0;
    try {
      for (int i = 0; i < CLOCK_READINGS; i++) {
        long asked = time.micros();
        List<byte[]> told = node.time();
        long heard = time.micros();
        if (heard - asked < bestTrip) {
          bestTrip = heard - asked;
          long there = number(told.get(0)) * 1_000_000 + number(told.get(1));
          offset = there - (time.wallMicros() - (time.micros() - asked) + bestTrip / 2);
        }
      }
    } catch (RedisCommandExecutionException e) {
      if (options.clock() == RedisOptions.Clock.INSTANCE) {
        warn(
            "clock",
            "does not tell the time: " + RedisErrors.reason(e),
            "every instance then goes by its own wall clock: keep them together with NTP");
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
    if (Math.abs(offset) > MOST_OFFSET_MICROS + bestTrip / 2) {
      warn(
          "clock",
          text,
          "decisions go by the clock of Redis and are not affected, but logs and quotas will look"
              + " odd: run NTP on both");
    } else {
      ok("clock", text);
    }
  }

  private static long number(byte[] digits) {
    return Long.parseLong(new String(digits, StandardCharsets.US_ASCII));
  }

  /** A call may have to wait for one before it, so that two have to fit into the timeout. */
  private void latency(RedisCommands<byte[], byte[]> node, AclProbe rights) {
    List<String> texts = new ArrayList<>();
    long worst = measure("PING", node::ping, texts);
    if (rights.areComplete()) {
      worst = Math.max(worst, measure("a decision", rights::runLook, texts));
    }
    String text = String.join("; ", texts);
    long timeout = options.timeout().toNanos() / 1000;
    if (worst > timeout) {
      warn(
          "latency",
          text + "; the timeout is " + RedisErrors.millis(timeout),
          "calls that take longer, with those they wait for, are answered by on_fail: bring Redis"
              + " nearer, or raise store.redis.timeout");
    } else {
      ok("latency", text);
    }
  }

  /** Notes how long something takes; returns what nearly all tries take, or two in a row, in µs. */
  private long measure(String what, Runnable action, List<String> texts) {
    try {
      LatencySample latency = LatencySample.of(action, time);
      texts.add(what + " " + latency);
      return Math.max(latency.p99(), 2 * latency.p50());
    } catch (RedisCommandExecutionException e) {
      texts.add(what + " is refused: " + RedisErrors.reason(e));
      return 0;
    }
  }

  private void memory(NodeInfo info) {
    String policy = info.text("maxmemory_policy");
    if (policy.isEmpty()) {
      return;
    }
    if (policy.equals("volatile-ttl")) {
      ok("eviction", policy + ": a full Redis forgets first who has used least; keep it from full");
    } else if (info.forgetsLimits()) {
      warn(
          "eviction",
          "maxmemory-policy is " + policy + ": a full Redis forgets limits that are in use",
          "set maxmemory-policy noeviction, or give Weir a Redis of its own");
    } else {
      ok("eviction", policy);
    }
    long most = info.number("maxmemory");
    long used = info.number("used_memory");
    String text =
        "uses " + megabytes(used) + (most == 0 ? ", no maxmemory" : " of " + megabytes(most));
    if (most > 0 && used * 100 > most * ENOUGH_MEMORY_PERCENT) {
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
          "look at its disk and its log");
      return;
    }
    ok(
        "persistence",
        info.is("aof_enabled", "1")
            ? "append-only file: a restart loses what was not yet on disk"
            : "no append-only file: a restart forgets what was taken since the last snapshot, if"
                + " there are any");
  }

  /** Whether it serves its keys while others' are served by nobody; many users may not ask. */
  private void coverage(RedisCommands<byte[], byte[]> node) {
    try {
      if ("yes".equals(node.configGet(FULL_COVERAGE).get(FULL_COVERAGE))) {
        warn(
            "cluster",
            FULL_COVERAGE + " is yes: while any slot is served by nobody, it answers no call",
            "set "
                + FULL_COVERAGE
                + " no on all nodes, so that a dead one takes its own keys only");
      }
    } catch (RedisCommandExecutionException e) {
      // Weir does not need to know.
    }
  }
}
