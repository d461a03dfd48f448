package io.weir.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** One Redis, or the master that Sentinel names. */
final class SingleLink implements Link {
  private final RedisClient client;
  private final StatefulRedisConnection<byte[], byte[]> connection;
  private final RedisAsyncCommands<byte[], byte[]> commands;
  private final Lane lane = new Lane((keys, args) -> call(Script.TAKE, keys, args));
  private final long timeoutNanos;
  private final LongSupplier clock;
  private final ScheduledExecutorService deadlines =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "weir-redis-deadlines");
            thread.setDaemon(true);
            return thread;
          });

  SingleLink(RedisURI uri, Duration timeout, LongSupplier clock) {
    this.clock = clock;
    this.client = RedisClient.create(uri);
    client.setOptions(
        ClientOptions.builder()
            .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
            .requestQueueSize(20_000)
            .replayFilter(command -> true)
            .build());
    this.connection = client.connect(ByteArrayCodec.INSTANCE);
    this.commands = connection.async();
    this.timeoutNanos = timeout.toNanos();
    deadlines.scheduleAtFixedRate(
        () -> lane.expire(System.nanoTime()), 1, 1, TimeUnit.MILLISECONDS);
  }

  @Override
  public int groupOf(byte[] key) {
    return 0;
  }

  @Override
  public CompletionStage<byte[]> run(Script script, byte[][] keys, byte[] args) {
    if (script != Script.TAKE) {
      return call(script, keys, args);
    }
    Ask ask = new Ask(keys, args, System.nanoTime() + timeoutNanos);
    lane.submit(ask);
    return ask.answer;
  }

  private CompletionStage<byte[]> call(Script script, byte[][] keys, byte[] args) {
    byte[] timed =
        ByteBuffer.allocate(Double.BYTES + args.length)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putDouble(clock.getAsLong())
            .put(args)
            .array();
    return commands
        .<byte[]>evalsha(script.digest(), ScriptOutputType.VALUE, keys, timed)
        .exceptionallyCompose(
            problem ->
                problem instanceof RedisNoScriptException
                    ? commands.<byte[]>eval(script.text(), ScriptOutputType.VALUE, keys, timed)
                    : java.util.concurrent.CompletableFuture.failedFuture(problem));
  }

  @Override
  public void close() {
    deadlines.shutdownNow();
    connection.close();
    client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
  }
}
