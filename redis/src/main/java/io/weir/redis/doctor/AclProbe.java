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
 * Tests the rights of a user on a node by using them: every command of the store and its scripts,
 * on a key that expires after a second.
 *
 * <p>On a replica nothing is written. Redis checks rights first, so a user without the right gets
 * NOPERM, and one with it gets READONLY, or MOVED in a Cluster. Even a writable replica keeps
 * nothing: the commands change only keys that exist, and this one does not.
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
  private String problem = "";
  private String scriptReason = "";
  private boolean keyRefused;
  private boolean canReadTimeInScripts;

  private AclProbe(RedisCommands<byte[], byte[]> node, byte[] key) {
    this.node = node;
    this.key = key;
  }

  /** Tests all rights that matter with this clock, on a key in this slot; −1 for any. */
  static AclProbe onPrimary(
      RedisCommands<byte[], byte[]> node, int slot, RedisOptions.Clock clock) {
    AclProbe probe = new AclProbe(node, keyIn(slot, "doctor"));
    probe.attempt(slot >= 0, clock, SetArgs.Builder.px(1000));
    try {
      probe.eval(TIME_SCRIPT);
      probe.canReadTimeInScripts = true;
    } catch (RedisCommandExecutionException e) {
      probe.scriptReason = RedisErrors.reason(e);
    }
    return probe;
  }

  /** Tests the same rights, as far as that is possible on a replica. */
  static AclProbe onReplica(
      RedisCommands<byte[], byte[]> node, boolean inCluster, RedisOptions.Clock clock) {
    AclProbe probe = new AclProbe(node, keyIn(-1, "replica"));
    probe.attempt(inCluster, clock, SetArgs.Builder.px(1000).xx());
    return probe;
  }

  private void attempt(boolean inCluster, RedisOptions.Clock clock, SetArgs setArgs) {
    if (!inCluster) {
      attempt("ROLE", "+role", node::role); // not used on a Cluster
    }
    if (clock == RedisOptions.Clock.STORE) {
      attempt("TIME", "+time", node::time);
    } else {
      attemptOptionalTime();
    }
    attempt("SET", "+set", () -> node.set(key, SCRIPT, setArgs));
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

  /** Tests TIME for the instance clock, which works without it. */
  private void attemptOptionalTime() {
    try {
      node.time();
      allowed.add("TIME");
    } catch (RedisCommandExecutionException e) {
      // The clock check reports the consequences.
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
        // Allowed, but it fails: read-only, out of memory, or a full disk.
        problem = problem.isEmpty() ? reason : problem;
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
      // The user may call it. That it could not be loaded was reported before.
    }
  }

  /** Makes a decision as the store does, without taking anything. */
  void runLook() {
    Pool pool = new Pool("doctor", "doctor", "0", Limit.parse(LOOK_LIMIT), false);
    Draw draw = new Draw(pool, Key.of("unused"), 1, Mode.ENFORCE, Draw.Intent.LOOK);
    long now = canReadTimeInScripts ? 0 : 1;
    byte[] args = ScriptArguments.timed(now, new ScriptArguments(0).count(1).draw(draw, 0).bytes());
    byte[][] keys = {key};
    node.evalsha(Script.TAKE_ONE_BUCKET.digest(), ScriptOutputType.VALUE, keys, args);
  }

  List<String> allowed() {
    return allowed;
  }

  /** The refused commands and the reason, in one line. */
  String refusal() {
    return "may not " + String.join(", ", refused.keySet()) + ": " + firstReason;
  }

  /** How an administrator can grant the missing rights to this user. */
  String advice(String user) {
    String rules = missing();
    return (rules.isEmpty()
            ? "restore the original command names in the configuration of that Redis"
            : "as an administrator: ACL SETUSER " + user + " " + rules)
        + (refused.containsKey("TIME")
            ? "; or, if only TIME is refused, set store.redis.clock: instance"
            : "");
  }

  /** The missing rules, as {@code ACL SETUSER} takes them. */
  private String missing() {
    List<String> rules = new ArrayList<>();
    if (keyRefused) {
      rules.add("~weir:*");
    }
    refused.values().stream().filter(rule -> !rule.isEmpty()).forEach(rules::add);
    return String.join(" ", rules);
  }

  /** Why a command that is allowed fails; empty if none does. */
  Optional<String> problem() {
    return problem.isEmpty() ? Optional.empty() : Optional.of(problem);
  }

  boolean areComplete() {
    return refused.isEmpty();
  }

  boolean canReadTimeInScripts() {
    return canReadTimeInScripts;
  }

  String scriptReason() {
    return scriptReason;
  }
}
