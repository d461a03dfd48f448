package io.weir.bench.rules;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.bench.run.Allowance;
import io.weir.bench.run.IterationCost;
import io.weir.rule.Match;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import java.time.Duration;
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

/** One decision by rules on a hot key, with all details that a front end needs. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 1, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(
    value = 3,
    jvmArgs = {"-Xms2g", "-Xmx2g"})
@State(Scope.Benchmark)
public class RuleBench {
  private static final String PATH = "/api/v1/orders42";
  private static final Limit AMPLE =
      Limit.of(Allowance.ONE_KEY.rate(), Duration.ofSeconds(1)).burst(Allowance.ONE_KEY.burst());

  /** The rule set. */
  public enum Rules {
    /** One rule that matches. */
    ONE,
    /** Three rules that all match, by user, address and tenant. */
    THREE,
    /** A hundred rules for as many paths, one of which matches. */
    HUNDRED
  }

  @Param public Rules rules;

  private Weir weir;
  private Call call;

  @Setup
  public void load() {
    RuleSet.Builder set = RuleSet.builder();
    switch (rules) {
      case ONE -> set.rule(rule("orders", PATH, "user"));
      case THREE -> {
        set.rule(rule("by-user", PATH, "user"));
        set.rule(rule("by-ip", PATH, "ip"));
        set.rule(rule("by-tenant", PATH, "tenant"));
      }
      case HUNDRED -> {
        for (int i = 0; i < 100; i++) {
          set.rule(rule("orders" + i, "/api/v1/orders" + i, "user"));
        }
      }
    }
    weir = Weir.builder().rules(set.build()).build();
    call = newCall();
    int asked = weir.check(call).statuses().size();
    if (asked != (rules == Rules.THREE ? 3 : 1)) {
      throw new IllegalStateException(asked + " limits were asked");
    }
  }

  private static Rule rule(String id, String path, String key) {
    return Rule.named(id).match(Match.path(path)).key(key).limit(AMPLE).build();
  }

  private static Call newCall() {
    return Call.of("GET", PATH)
        .with("user", "user:1234")
        .with("ip", "192.0.2.7")
        .with("tenant", "acme");
  }

  /** Decides a call that was created before. */
  @Benchmark
  public Decision check(IterationCost cost) {
    cost.calls++;
    return weir.check(call);
  }

  /** Creates the call and decides it, as a front end does. */
  @Benchmark
  public Decision callAndCheck(IterationCost cost) {
    cost.calls++;
    return weir.check(newCall());
  }
}
