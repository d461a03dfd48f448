package io.weir.redis.link;

import io.weir.redis.call.CallPurpose;
import io.weir.redis.call.NoAnswerException;
import io.weir.redis.script.Script;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Runs scripts on the nodes that hold the buckets. Every call ends within the deadline; a call
 * without a reply completes with {@link NoAnswerException}.
 */
public interface ScriptRunner extends AutoCloseable {
  /** The rule id used to warm up a deployment that holds the keys of any rule. */
  String ANY_RULE = "warm-up";

  /** The group of a key. Keys of one group can share a script call. */
  int groupOf(byte[] key);

  /** Runs a script on keys of one group; {@code args} is the script's argument after the time. */
  CompletionStage<byte[]> run(CallPurpose purpose, Script script, byte[][] keys, byte[] args);

  /** Whether a call to this key would be rejected now because its node is unavailable. */
  default boolean isUnavailable(byte[] key) {
    return false;
  }

  /** Completes when every node has been connected once. */
  CompletionStage<Void> connected();

  /** Completes when any node has been connected once. */
  default CompletionStage<Void> anyConnected() {
    return connected();
  }

  @Override
  void close();

  /** For each deployment, the id of a rule whose keys are there. */
  default List<String> ruleOfEachDeployment() {
    return List.of(ANY_RULE);
  }
}
