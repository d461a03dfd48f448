package io.weir.bench.run;

import java.util.List;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * A benchmark in a separate process that runs one iteration on request. {@link #main} is the entry
 * point of that process.
 */
final class SubjectProcess implements AutoCloseable {
  private final BenchProcess process;

  private SubjectProcess(BenchProcess process) {
    this.process = process;
  }

  /**
   * Starts a process, which initialises in the background.
   *
   * @param benchmark a benchmark method
   * @param heap maximum heap
   * @param params JMH parameters, as {@code name=value}
   */
  static SubjectProcess start(
      String benchmark, int threads, RunLengths lengths, String heap, List<String> params) {
    List<String> command = Jvm.command(heap);
    // Otherwise the first pass over the heap pays for the operating system's page faults.
    command.add("-XX:+AlwaysPreTouch");
    command.add("-D" + TurnBarrier.PROPERTY + "=true");
    command.add(SubjectProcess.class.getName());
    command.add(benchmark);
    command.add(Integer.toString(threads));
    command.add(lengths.print());
    command.addAll(params);
    return new SubjectProcess(BenchProcess.start(benchmark + params, command));
  }

  /** Waits until the process can begin its next iteration. */
  void awaitReady() {
    process.await(TurnBarrier.READY);
  }

  /** Runs one iteration; {@link #awaitReady} must have returned. */
  RoundSample run() {
    process.send("");
    return RoundSample.parse(process.await(TurnBarrier.DONE));
  }

  @Override
  public void close() {
    process.close();
  }

  public static void main(String[] args) throws RunnerException {
    RunLengths lengths = RunLengths.parse(args[2]);
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(args[0].replace(".", "\\.") + "$")
            .threads(Integer.parseInt(args[1]))
            .forks(0)
            .warmupIterations(lengths.warmups())
            .warmupTime(TimeValue.milliseconds(lengths.warmupMillis()))
            .measurementIterations(lengths.rounds())
            .measurementTime(TimeValue.milliseconds(lengths.millis()))
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT);
    for (int i = 3; i < args.length; i++) {
      String[] param = args[i].split("=", 2);
      options.param(param[0], param[1]);
    }
    new Runner(options.build()).run();
  }
}
