package io.weir.cli.drill;

import io.weir.base.RateSyntax;
import io.weir.cli.drill.FaultInjector.Fault;
import io.weir.cli.output.CommandException;
import io.weir.cli.output.JsonMap;
import io.weir.cli.output.Output;
import io.weir.redis.RedisOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Rehearses an outage: injects a fault into a Redis on loopback, and shows the decisions. */
@Command(
    name = "drill",
    description = {
      "Rehearses an outage of a Redis on loopback; use one that has no other clients. Injects a fault"
          + " while clients draw by three rules, one per on_fail, and repairs it, also when the drill"
          + " is interrupted.",
      "Prints a line per half second: the time since the start, the breaker, the calls that each rule"
          + " allowed and refused, and the time per decision. With --output json: one object at the end."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:Redis served decisions again within 5 s", "1:it did not", "2:error"})
public final class DrillCommand implements Callable<Integer> {
  private static final Duration BEFORE = Duration.ofSeconds(3);
  private static final Duration STEP = Duration.ofMillis(500);
  private static final Duration PROMISED = Duration.ofSeconds(5);

  @Parameters(
      paramLabel = "OUTAGE",
      completionCandidates = Faults.class,
      description = "One of ${COMPLETION-CANDIDATES}.")
  private String outage;

  @Option(
      names = "--redis",
      paramLabel = "URI",
      defaultValue = "redis://127.0.0.1:6379",
      description = "Redis, on loopback; default ${DEFAULT-VALUE}.")
  private String redis;

  @Option(
      names = "--for",
      paramLabel = "TIME",
      defaultValue = "5s",
      description = "Duration of the outage; default ${DEFAULT-VALUE}.")
  private String time;

  @Option(
      names = "--wait",
      paramLabel = "TIME",
      defaultValue = "30s",
      description = "Maximum wait for Redis to serve again; default ${DEFAULT-VALUE}.")
  private String wait;

  @Option(
      names = "--restart",
      paramLabel = "COMMAND",
      description = "For redis-kill: command that starts Redis in the background.")
  private @Nullable String restart;

  @Mixin private Output output;
  @Spec private CommandSpec spec;

  /** The names of all outages. */
  static final class Faults implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return Arrays.stream(Fault.values()).map(Fault::id).iterator();
    }
  }

  @Override
  public Integer call() {
    Fault fault = fault();
    Duration outageTime = duration("--for", time);
    Duration maxWait = duration("--wait", wait);
    if (fault == Fault.KILL && restart == null) {
      throw misused("redis-kill needs --restart, such as 'redis-server --daemonize yes'");
    }
    RedisOptions options = options();
    try (FaultInjector injector = injector(options, fault);
        ShutdownHook interrupted = new ShutdownHook(injector::repair);
        DrillTraffic callers = new DrillTraffic(options)) {
      PrintWriter out = spec.commandLine().getOut();
      return new DrillRun(out, callers).run(injector, fault, outageTime, maxWait) ? 0 : 1;
    }
  }

  private Fault fault() {
    return Arrays.stream(Fault.values())
        .filter(fault -> fault.id().equals(outage))
        .findFirst()
        .orElseThrow(() -> misused("unknown drill " + outage + "; there are " + names()));
  }

  private static String names() {
    List<String> names = Arrays.stream(Fault.values()).map(Fault::id).toList();
    return String.join(", ", names);
  }

  private Duration duration(String option, String value) {
    try {
      return RateSyntax.parse(value);
    } catch (IllegalArgumentException e) {
      throw misused(option + ": " + e.getMessage());
    }
  }

  private RedisOptions options() {
    try {
      return RedisOptions.of(redis);
    } catch (IllegalArgumentException e) {
      throw misused("--redis: " + e.getMessage());
    }
  }

  private static FaultInjector injector(RedisOptions options, Fault fault) {
    try {
      return new FaultInjector(options, fault);
    } catch (IllegalArgumentException e) {
      throw new CommandException(String.valueOf(e.getMessage()));
    }
  }

  private ParameterException misused(String reason) {
    return new ParameterException(spec.commandLine(), reason);
  }

  /** One drill: before, during and after the outage. */
  private final class DrillRun {
    private final PrintWriter out;
    private final DrillTraffic callers;
    private final List<JsonMap> steps = new ArrayList<>();
    private final long startNanos = System.nanoTime();

    DrillRun(PrintWriter out, DrillTraffic callers) {
      this.out = out;
      this.callers = callers;
    }

    boolean run(FaultInjector injector, Fault fault, Duration outageTime, Duration maxWait) {
      if (!output.isJson()) {
        out.println(DrillStep.HEADING);
      }
      show(BEFORE, "");
      CompletableFuture<Long> doing = begin(injector, outageTime);
      show(outageTime, fault.id());
      while (!doing.isDone()) {
        show(STEP, fault.id());
      }
      long over = ended(doing);
      while (callers.isDegraded() && System.nanoTime() - over < maxWait.toNanos()) {
        show(STEP, "over");
      }
      boolean served = !callers.isDegraded();
      Duration back = Duration.ofNanos(System.nanoTime() - over);
      show(STEP.multipliedBy(2), "over");
      boolean kept = served && back.compareTo(PROMISED) <= 0;
      conclude(fault, kept, back);
      return kept;
    }

    private void conclude(Fault fault, boolean kept, Duration back) {
      if (output.isJson()) {
        JsonMap report = new JsonMap().put("outage", fault.id()).put("ok", kept);
        report.put("back_ms", back.toMillis()).put("slowest_us", callers.slowestNanos() / 1000);
        out.println(report.put("steps", steps).pretty());
      } else {
        out.printf(
            "%s: decisions were %sserved by Redis again within %.1f s; the slowest took %.1f ms%n",
            kept ? "ok" : "fail",
            kept ? "" : "not ",
            back.toMillis() / 1e3,
            callers.slowestNanos() / 1e6);
      }
      out.flush();
    }

    /** Injects the fault in a thread of its own; completes with the time of the repair. */
    private CompletableFuture<Long> begin(FaultInjector injector, Duration outageTime) {
      return CompletableFuture.supplyAsync(
          () -> {
            injector.inject(outageTime, DrillCommand.this::startAgain);
            return System.nanoTime();
          },
          task -> {
            Thread thread = new Thread(task, "drill");
            thread.setDaemon(true);
            thread.start();
          });
    }

    private static long ended(CompletableFuture<Long> doing) {
      try {
        return doing.join();
      } catch (CompletionException e) {
        throw e.getCause() instanceof CommandException failed
            ? failed
            : new CommandException("the drill failed: " + e.getCause().getMessage());
      }
    }

    private void show(Duration time, String phase) {
      long until = System.nanoTime() + time.toNanos();
      while (System.nanoTime() < until) {
        LockSupport.parkNanos(STEP.toNanos());
        Duration elapsed = Duration.ofNanos(System.nanoTime() - startNanos);
        DrillStep step = callers.step(elapsed, phase);
        if (output.isJson()) {
          steps.add(step.json());
        } else {
          out.println(step.line());
          out.flush();
        }
      }
    }
  }

  private void startAgain() {
    try {
      new ProcessBuilder("sh", "-c", Objects.requireNonNull(restart))
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start();
    } catch (IOException e) {
      throw new CommandException("--restart: " + e.getMessage());
    }
  }
}
