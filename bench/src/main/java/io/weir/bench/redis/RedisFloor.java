package io.weir.bench.redis;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.weir.bench.Allowance;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;

/**
 * The least that an exact limiter on Redis can be: one script call per bucket over one connection.
 * With several rules it sends as many calls at once, and takes from each bucket for itself.
 */
final class RedisFloor implements RedisSubject {
  private final LettuceLink<String, String> link;
  private final RedisClusterAsyncCommands<String, String> commands;
  private final String digest;
  private final String[] numbers;
  private final int rules;

  RedisFloor(Place place, Allowance allowance, int rules) {
    this.link = LettuceLink.open(place, StringCodec.UTF8);
    this.commands = link.commands();
    this.digest = link.loadOnAll(script());
    long interval = allowance.periodSeconds() * 1_000_000 / allowance.rate();
    this.numbers = new String[] {"" + interval, "" + interval * allowance.burst()};
    this.rules = rules;
  }

  private static String script() {
    try (InputStream script = RedisFloor.class.getResourceAsStream("gcra.lua")) {
      return new String(script.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public CompletionStage<Boolean> ask(String key) {
    if (rules == 1) {
      return take("gcra:" + key);
    }
    CompletionStage<Boolean> all = take("gcra:0:" + key);
    for (int rule = 1; rule < rules; rule++) {
      all = all.thenCombine(take("gcra:" + rule + ":" + key), Boolean::logicalAnd);
    }
    return all;
  }

  private CompletionStage<Boolean> take(String key) {
    CompletionStage<Long> answer =
        commands.evalsha(digest, ScriptOutputType.INTEGER, new String[] {key}, numbers);
    return answer.thenApply(taken -> taken == 1);
  }

  @Override
  public void close() {
    link.close();
  }
}
