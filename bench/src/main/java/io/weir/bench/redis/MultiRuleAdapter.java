package io.weir.bench.redis;

import java.util.concurrent.CompletionStage;

/**
 * Several rules for a limiter with one bucket per call: it is called once per rule, concurrently,
 * and takes from each bucket independently.
 */
final class MultiRuleAdapter implements RedisSubject {
  private final RedisSubject one;
  private final int rules;

  private MultiRuleAdapter(RedisSubject one, int rules) {
    this.one = one;
    this.rules = rules;
  }

  static RedisSubject of(RedisSubject one, int rules) {
    return rules == 1 ? one : new MultiRuleAdapter(one, rules);
  }

  /** The keys that the limiter is called with. */
  static String[] named(String[] keys, int rules) {
    if (rules == 1) {
      return keys;
    }
    String[] named = new String[keys.length * rules];
    for (int i = 0; i < named.length; i++) {
      named[i] = named(i % rules, keys[i / rules]);
    }
    return named;
  }

  private static String named(int rule, String key) {
    return rule + ":" + key;
  }

  @Override
  public CompletionStage<Boolean> ask(String key) {
    CompletionStage<Boolean> all = one.ask(named(0, key));
    for (int rule = 1; rule < rules; rule++) {
      all = all.thenCombine(one.ask(named(rule, key)), Boolean::logicalAnd);
    }
    return all;
  }

  @Override
  public boolean blocks() {
    return one.blocks();
  }

  @Override
  public void close() {
    one.close();
  }
}
