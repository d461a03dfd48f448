package io.weir.testkit.contract;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.Ratio;
import io.weir.adjust.ControlSpan;
import io.weir.adjust.KeyIdentity;
import io.weir.adjust.KillSwitchScope;
import io.weir.adjust.OverrideEffect;
import io.weir.adjust.Severity;
import io.weir.adjust.TrafficControls;
import io.weir.engine.Engine;
import io.weir.engine.KeyView;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.UnaryOperator;

/** An engine on the store under test, and short forms of what operators do to it. */
public final class ControlledEngine implements AutoCloseable {
  /** The user whose key operators change. */
  public static final String USER = "42";

  private final Engine engine;
  private final VirtualTime time;

  private ControlledEngine(Engine engine, VirtualTime time) {
    this.engine = engine;
    this.time = time;
  }

  /** An engine with these rules on a virtual store. */
  public static ControlledEngine on(StoreHarness harness, RuleSet rules) {
    Engine engine =
        Engine.builder().rules(rules).store(harness.store()).time(harness.time()).build();
    return new ControlledEngine(engine, harness.time());
  }

  /** An engine with the rule {@code api}, by user. */
  public static ControlledEngine on(StoreHarness harness, String... limits) {
    return on(harness, RuleSet.of(rule(limits).build()));
  }

  /** The rule {@code api}, by user. */
  public static Rule.Builder rule(String... limits) {
    Limit[] parsed = new Limit[limits.length];
    for (int i = 0; i < limits.length; i++) {
      parsed[i] = Limit.parse(limits[i]);
    }
    return Rule.named("api").key("user").limit(parsed);
  }

  public Engine engine() {
    return engine;
  }

  // ---- calls

  public static Call call(String user, long cost) {
    return Call.of("GET", "/").with("user", user).cost(cost);
  }

  /** Takes the cost, permits too. */
  public Decision take(String user, long cost) {
    return ContractCalls.get(engine.reserveAsync(call(user, cost)));
  }

  public Decision take(long cost) {
    return take(USER, cost);
  }

  /** Takes the cost, where possible from a lease. */
  public Decision check(long cost) {
    return ContractCalls.get(engine.checkAsync(call(USER, cost)));
  }

  /** How many calls of cost 1 pass, up to a number. */
  public long admitted(String user, int most) {
    long admitted = 0;
    for (int i = 0; i < most; i++) {
      admitted += take(user, 1).allowed() ? 1 : 0;
    }
    return admitted;
  }

  public void advance(Duration by) {
    time.advance(by);
  }

  // ---- what operators do

  /** From now on, for this long. */
  public ControlSpan during(Duration span) {
    Instant now = now();
    return ControlSpan.of(now, now.plus(span));
  }

  public Instant now() {
    return Instant.EPOCH.plus(time.wallMicros(), ChronoUnit.MICROS);
  }

  public static KeyIdentity key() {
    return KeyIdentity.of(List.of(USER));
  }

  /** Replaces all controls. */
  public void control(UnaryOperator<TrafficControls.Builder> next) {
    engine.control(next.apply(TrafficControls.builder()).build());
  }

  /** Replaces all controls by an override of the rule {@code api} for an hour. */
  public void override(OverrideEffect effect) {
    override(effect, Duration.ofHours(1));
  }

  public void override(OverrideEffect effect, Duration span) {
    control(all -> all.override(1, "api", key(), effect, during(span)));
  }

  public static OverrideEffect limit(String limit) {
    return new OverrideEffect.OtherLimit("", Limit.parse(limit));
  }

  public static OverrideEffect factor(String factor) {
    return new OverrideEffect.Factor(Ratio.of(factor));
  }

  public void block(Duration span) {
    control(all -> all.block(1, "", key(), during(span)));
  }

  public void signal(Severity severity, Duration span) {
    control(all -> all.signal(1, "", key(), severity, during(span)));
  }

  public void kill(String scope, Duration span) {
    control(all -> all.killSwitch(KillSwitchScope.parse(scope), during(span)));
  }

  public KeyView look() {
    return ContractCalls.get(engine.lookKey("api", List.of(USER)));
  }

  public KeyView reset() {
    return ContractCalls.get(engine.resetKey("api", List.of(USER)));
  }

  public KeyView grant(long tokens) {
    return ContractCalls.get(engine.grantKey("api", List.of(USER), tokens));
  }

  @Override
  public void close() {
    engine.close();
  }
}
