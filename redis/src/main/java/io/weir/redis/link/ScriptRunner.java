package io.weir.redis.link;

import io.weir.redis.call.CallPurpose;
import io.weir.redis.call.NoAnswerException;
import io.weir.redis.script.Script;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A way to the nodes that hold the buckets. Every call ends within the deadline; one that could not
 * be answered completes with {@link NoAnswerException}.
 */
public interface ScriptRunner extends AutoCloseable {
  /** The rule under which a place is tried that keeps the keys of any rule. */
  String ANY_RULE = "warm-up";

  /** Which keys can share a script call: those of one group. */
  int groupOf(byte[] key);

  /** Runs a script on keys of one group; {@code args} is what follows the time. */
  CompletionStage<byte[]> run(CallPurpose purpose, Script script, byte[][] keys, byte[] args);

  /** Whether a call about this key would not be sent now, as its node is away. */
  default boolean isUnavailable(byte[] key) {
    return false;
  }

  /** Completes when every node could be asked once, if ever. */
  CompletionStage<Void> connected();

  /** Completes when any node could be asked once, if ever. */
  default CompletionStage<Void> anyConnected() {
    return connected();
  }

  @Override
  void close();

  /** For every place where keys live, a rule whose keys are there. */
  default List<String> ruleOfEachNode() {
    return List.of(ANY_RULE);
  }
}
