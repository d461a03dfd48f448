package io.weir.bench.redis;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.weir.bench.run.Allowance;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;

/** The minimal exact limiter on Redis: one script call per bucket over one connection. */
final class RedisBaseline implements RedisSubject {
  private final LettuceConnection<String, String> connection;
  private final RedisClusterAsyncCommands<String, String> commands;
  private final String digest;
  private final String[] numbers;

  RedisBaseline(RedisEndpoint endpoint, Allowance allowance) {
    this.connection = LettuceConnection.open(endpoint, StringCodec.UTF8);
    this.commands = connection.commands();
    this.digest = connection.loadOnAll(script());
    long interval = allowance.periodSeconds() * 1_000_000 / allowance.rate();
    this.numbers = new String[] {"" + interval, "" + interval * allowance.burst()};
  }

  private static String script() {
    try (InputStream script = RedisBaseline.class.getResourceAsStream("gcra.lua")) {
      return new String(script.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public CompletionStage<Boolean> ask(String key) {
    CompletionStage<Long> answer =
        commands.evalsha(digest, ScriptOutputType.INTEGER, new String[] {"gcra:" + key}, numbers);
    return answer.thenApply(taken -> taken == 1);
  }

  @Override
  public void close() {
    connection.close();
  }
}
