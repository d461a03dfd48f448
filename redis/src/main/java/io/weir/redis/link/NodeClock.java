package io.weir.redis.link;

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The operations of a node that {@link OffsetClock} uses: its time, and the step that the fleet
 * agreed on.
 */
interface NodeClock {
  /** The reply to {@code TIME}. */
  CompletionStage<List<byte[]>> time();

  /** The agreed step, if there is one. */
  CompletionStage<Optional<ClockStep>> step();

  /** Makes this the agreed step. */
  CompletionStage<?> agree(ClockStep step);

  /**
   * The clock of a node over a connection.
   *
   * @param key the key of the agreed step, in a slot of the node
   */
  static NodeClock over(RedisAsyncCommands<byte[], byte[]> commands, byte[] key) {
    return new NodeClock() {
      @Override
      public CompletionStage<List<byte[]>> time() {
        return commands.time();
      }

      @Override
      public CompletionStage<Optional<ClockStep>> step() {
        return commands.get(key).thenApply(ClockStep::read);
      }

      @Override
      public CompletionStage<?> agree(ClockStep step) {
        return commands.set(key, step.bytes(), SetArgs.Builder.px(ClockStep.LIFE_MILLIS));
      }
    };
  }
}
