package io.weir.redis.link;

import io.weir.redis.call.CallPurpose;
import io.weir.redis.script.KeyNames;
import io.weir.redis.script.Script;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/**
 * Runs scripts on two deployments: one for the keys of some rules with very high load, and one for
 * all other keys.
 */
public final class HotRuleRunner implements ScriptRunner {
  private final ScriptRunner hot;
  private final ScriptRunner others;
  private final Set<String> rules;

  /** A runner that sends the keys of these rules to {@code hot}. */
  public HotRuleRunner(Set<String> rules, ScriptRunner hot, ScriptRunner others) {
    this.rules = Set.copyOf(rules);
    this.hot = hot;
    this.others = others;
  }

  private boolean isHot(byte[] key) {
    return rules.contains(KeyNames.ruleOf(new String(key, StandardCharsets.US_ASCII)));
  }

  /** The groups of the two deployments are disjoint. */
  @Override
  public int groupOf(byte[] key) {
    return isHot(key) ? -1 - hot.groupOf(key) : others.groupOf(key);
  }

  /** Markers of a reservation come after the buckets, so the first key selects the deployment. */
  @Override
  public CompletionStage<byte[]> run(
      CallPurpose purpose, Script script, byte[][] keys, byte[] args) {
    return (isHot(keys[0]) ? hot : others).run(purpose, script, keys, args);
  }

  @Override
  public boolean isUnavailable(byte[] key) {
    return (isHot(key) ? hot : others).isUnavailable(key);
  }

  @Override
  public CompletionStage<Void> connected() {
    return hot.connected().thenCombine(others.connected(), (one, other) -> null);
  }

  @Override
  public CompletionStage<Void> anyConnected() {
    return hot.anyConnected().applyToEither(others.anyConnected(), any -> any);
  }

  @Override
  public List<String> ruleOfEachDeployment() {
    return Stream.concat(others.ruleOfEachDeployment().stream(), rules.stream().limit(1)).toList();
  }

  @Override
  public void close() {
    hot.close();
    others.close();
  }
}
