package io.weir.bench.run;

import java.util.List;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * A benchmark in a process of its own that runs one iteration whenever it is told to. {@link #main}
 * is what that process runs.
 */
final class SubjectProcess implements AutoCloseable {
  private final BenchProcess process;

  private SubjectProcess(BenchProcess process) {
    this.process = process;
  }

  /**
   * Starts a process, which sets itself up meanwhile.
   *
   * @param benchmark a benchmark method
   * @param heap how much it gets
   * @param params what it is told, as {@code name=value}
   */
  static SubjectProcess start(
      String benchmark, int threads, RunLengths pace, String heap, List<String> params) {
    List<String> command = Jvm.command(heap);
    // Otherwise the first pass over the heap pays for the operating system's page faults.
    command.add("-XX:+AlwaysPreTouch");
    command.add("-D" + TurnBarrier.PROPERTY + "=true");
    command.add(SubjectProcess.class.getName());
    command.add(benchmark);
    command.add(Integer.toString(threads));
    command.add(pace.print());
    command.addAll(params);
    return new SubjectProcess(BenchProcess.start(benchmark + params, command));
  }

  /** Waits until the process can begin its next iteration. */
  void awaitReady() {
    process.await(TurnBarrier.READY);
  }

  /** Lets it run one iteration, which must have been waited for. */
  RoundSample run() {
    process.tell("");
    return RoundSample.parse(process.await(TurnBarrier.DONE));
  }

  @Override
  public void close() {
    process.close();
  }

  public static void main(String[] args) throws RunnerException {
    RunLengths pace = RunLengths.parse(args[2]);
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(args[0].replace(".", "\\.") + "$")
            .threads(Integer.parseInt(args[1]))
            .forks(0)
            .warmupIterations(pace.warmups())
            .warmupTime(TimeValue.milliseconds(pace.warmupMillis()))
            .measurementIterations(pace.rounds())
            .measurementTime(TimeValue.milliseconds(pace.millis()))
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT);
    for (int i = 3; i < args.length; i++) {
      String[] param = args[i].split("=", 2);
      options.param(param[0], param[1]);
    }
    new Runner(options.build()).run();
  }
}
