package io.weir.bench.rules;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.Ratio;
import io.weir.adjust.ControlSpan;
import io.weir.adjust.KeyIdentity;
import io.weir.adjust.OverrideEffect;
import io.weir.adjust.TrafficControls;
import io.weir.bench.run.Allowance;
import io.weir.bench.run.IterationCost;
import io.weir.engine.Engine;
import io.weir.rule.Match;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** One decision by a rule on a hot key, with overrides of single keys. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 1, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(
    value = 3,
    jvmArgs = {"-Xms2g", "-Xmx2g"})
@State(Scope.Benchmark)
public class ControlBench {
  private static final String PATH = "/api/v1/orders42";
  private static final int MANY = 10_000;
  private static final Limit AMPLE =
      Limit.of(Allowance.ONE_KEY.rate(), Duration.ofSeconds(1)).burst(Allowance.ONE_KEY.burst());

  /** The overrides. */
  public enum Controls {
    NONE,
    /** 10,000 of other keys. */
    OTHER_KEYS,
    /** 10,000, one of them of this key. */
    THIS_KEY
  }

  @Param public Controls controls;

  private Engine engine;
  private Call call;

  @Setup
  public void load() {
    Rule rule = Rule.named("orders").match(Match.path(PATH)).key("user").limit(AMPLE).build();
    engine = Engine.builder().rules(RuleSet.of(rule)).build();
    if (controls != Controls.NONE) {
      engine.control(table(controls == Controls.THIS_KEY ? 1234 : MANY));
    }
    call = Call.of("GET", PATH).with("user", "user:1234").with("ip", "192.0.2.7");
  }

  private static TrafficControls table(int first) {
    OverrideEffect half = new OverrideEffect.Factor(Ratio.of("0.5"));
    ControlSpan span = ControlSpan.of(Instant.EPOCH, Instant.MAX);
    TrafficControls.Builder table = TrafficControls.builder();
    for (int i = first; i < first + MANY; i++) {
      table.override(i, "orders", KeyIdentity.of(List.of("user:" + i)), half, span);
    }
    return table.build();
  }

  @Benchmark
  public Decision check(IterationCost cost) {
    cost.calls++;
    return engine.check(call);
  }
}
