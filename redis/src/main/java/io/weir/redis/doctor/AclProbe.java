package io.weir.redis.doctor;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.redis.RedisOptions;
import io.weir.redis.call.RedisErrors;
import io.weir.redis.script.Script;
import io.weir.redis.script.ScriptArguments;
import io.weir.store.Draw;
import io.weir.store.Pool;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds out what a user may do on a node by doing it: every command that the store and its scripts
 * use, on a key that is gone two seconds later.
 *
 * <p>On a replica nothing is written. It looks at rights first, so that who may not write is told
 * NOPERM, and who may is told READONLY, or MOVED in a Cluster. Even one that takes writes keeps
 * nothing: what is tried there changes only keys that exist, and this one does not.
 */
final class AclProbe {
  private static final byte[] TIME_SCRIPT = "return redis.call('TIME')[1]".getBytes(US_ASCII);
  private static final byte[] SCRIPT = "return 'ok'".getBytes(US_ASCII);

  private static final String LOOK_LIMIT = "10/s";

  private final RedisCommands<byte[], byte[]> node;
  private final byte[] key;
  private final List<String> allowed = new ArrayList<>();
  private final Map<String, String> refused = new LinkedHashMap<>();
  private String firstReason = "";
  private String trouble = "";
  private String scriptReason = "";
  private boolean keyRefused;
  private boolean tellsTimeInScripts;

  private AclProbe(RedisCommands<byte[], byte[]> node, byte[] key) {
    this.node = node;
    this.key = key;
  }

  /** Tries everything that matters on this clock, on a key in this slot; −1 for any. */
  static AclProbe onPrimary(
      RedisCommands<byte[], byte[]> node, int slot, RedisOptions.Clock clock) {
    AclProbe rights = new AclProbe(node, keyIn(slot, "doctor"));
    rights.attempt(slot >= 0, clock, SetArgs.Builder.px(1000));
    try {
      rights.eval(TIME_SCRIPT);
      rights.tellsTimeInScripts = true;
    } catch (RedisCommandExecutionException e) {
      rights.scriptReason = RedisErrors.reason(e);
    }
    return rights;
  }

  /** Tries the same as far as a replica tells. */
  static AclProbe onReplica(
      RedisCommands<byte[], byte[]> node, boolean inCluster, RedisOptions.Clock clock) {
    AclProbe rights = new AclProbe(node, keyIn(-1, "replica"));
    rights.attempt(inCluster, clock, SetArgs.Builder.px(1000).xx());
    return rights;
  }

  private void attempt(boolean inCluster, RedisOptions.Clock clock, SetArgs how) {
    if (!inCluster) {
      attempt("ROLE", "+role", node::role); // a Cluster is not asked for it
    }
    if (clock == RedisOptions.Clock.STORE) {
      attempt("TIME", "+time", node::time);
    } else {
      tryTime();
    }
    attempt("SET", "+set", () -> node.set(key, SCRIPT, how));
    attempt("GET", "+get", () -> node.get(key));
    attempt("MGET", "+mget", () -> node.mget(key));
    attempt("PTTL", "+pttl", () -> node.pttl(key));
    attempt("DEL", "+del", () -> node.del(key));
    attempt("EVAL", "+eval", () -> eval(SCRIPT));
    attempt("SCRIPT LOAD", "+script|load", this::load);
    attempt("EVALSHA", "+evalsha", () -> evalsha(SCRIPT));
    if (inCluster) {
      attempt("ASKING", "+asking", node::asking);
    }
  }

  /** An instance's clock follows that of Redis, and goes on by itself where it may not ask. */
  private void tryTime() {
    try {
      node.time();
      allowed.add("TIME");
    } catch (RedisCommandExecutionException e) {
      // What follows from that the check of the clock says.
    }
  }

  private static byte[] keyIn(int slot, String pool) {
    for (int i = 0; ; i++) {
      byte[] name = ("weir:1:{doctor" + i + "}:" + pool + ":b0").getBytes(US_ASCII);
      if (slot < 0 || SlotHash.getSlot(name) == slot) {
        return name;
      }
    }
  }

  private void attempt(String command, String rule, Runnable action) {
    try {
      action.run();
      allowed.add(command);
    } catch (RedisCommandExecutionException e) {
      String reason = RedisErrors.reason(e);
      boolean renamed = reason.startsWith("ERR unknown command");
      if (!renamed && !reason.startsWith("NOPERM")) {
        // Allowed, and yet not possible: read-only, out of memory, a disk that is full.
        trouble = trouble.isEmpty() ? reason : trouble;
        return;
      }
      firstReason = firstReason.isEmpty() ? reason : firstReason;
      boolean byKey = !renamed && reason.contains("access");
      keyRefused |= byKey;
      refused.put(command, byKey || renamed ? "" : rule);
    }
  }

  private void eval(byte[] script) {
    node.eval(script, ScriptOutputType.VALUE, new byte[][] {key}, new byte[0]);
  }

  private void load() {
    node.scriptLoad(SCRIPT);
    for (Script script : Script.values()) {
      node.scriptLoad(script.text());
    }
  }

  private void evalsha(byte[] script) {
    try {
      node.evalsha(node.digest(script), ScriptOutputType.VALUE, new byte[][] {key}, new byte[0]);
    } catch (RedisNoScriptException e) {
      // It may be called; that it could not be loaded has been said.
    }
  }

  /** Asks for a decision as the store does, and takes nothing. */
  void runLook() {
    Pool pool = new Pool("doctor", "doctor", "0", Limit.parse(LOOK_LIMIT), false);
    Draw draw = new Draw(pool, Key.of("nobody"), 1, Mode.ENFORCE, Draw.Intent.LOOK);
    long now = tellsTimeInScripts ? 0 : 1;
    byte[] args = ScriptArguments.timed(now, new ScriptArguments(0).count(1).draw(draw, 0).bytes());
    byte[][] keys = {key};
    node.evalsha(Script.BUCKET.digest(), ScriptOutputType.VALUE, keys, args);
  }

  List<String> allowed() {
    return allowed;
  }

  /** What is refused and why, in a line. */
  String refusal() {
    return "may not " + String.join(", ", refused.keySet()) + ": " + firstReason;
  }

  /** How an administrator gives this user what is refused. */
  String advice(String user) {
    String rules = missing();
    return (rules.isEmpty()
            ? "give the commands their names back where that Redis is configured"
            : "as an administrator: ACL SETUSER " + user + " " + rules)
        + (refused.containsKey("TIME")
            ? "; or, if only TIME is refused, set store.redis.clock: instance"
            : "");
  }

  /** The rules that would allow what is refused, as {@code ACL SETUSER} takes them. */
  private String missing() {
    List<String> rules = new ArrayList<>();
    if (keyRefused) {
      rules.add("~weir:*");
    }
    refused.values().stream().filter(rule -> !rule.isEmpty()).forEach(rules::add);
    return String.join(" ", rules);
  }

  /** Why a command that is allowed cannot be done; empty if it can. */
  Optional<String> trouble() {
    return trouble.isEmpty() ? Optional.empty() : Optional.of(trouble);
  }

  boolean areComplete() {
    return refused.isEmpty();
  }

  boolean tellsTimeInScripts() {
    return tellsTimeInScripts;
  }

  String scriptReason() {
    return scriptReason;
  }
}
