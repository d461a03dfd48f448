package io.weir.redis.link;

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** A node as an {@link OffsetClock} uses it: its time, and the step that the fleet agreed on. */
interface NodeClock {
  /** The answer to {@code TIME}. */
  CompletionStage<List<byte[]>> time();

  /** The agreed step, if there is one. */
  CompletionStage<Optional<ClockStep>> step();

  /** Makes this the agreed step. */
  CompletionStage<?> agree(ClockStep step);

  /**
   * A peer over a connection.
   *
   * @param key where the agreed step is kept; the node serves it
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
