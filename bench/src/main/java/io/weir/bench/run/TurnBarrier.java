package io.weir.bench.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.BenchmarkParams;

/**
 * Makes a benchmark process wait for its turn before every iteration and report its cost
 * afterwards, so that {@link TurnRunner} can run several of them in turns. In a plain JMH run there
 * is no wait.
 */
@State(Scope.Benchmark)
public class TurnBarrier {
  /** System property of processes that take turns. */
  static final String PROPERTY = "weir.bench.turns";

  /** Prefix of a line to the runner. */
  static final String READY = "#ready";

  static final String DONE = "#done ";

  private final boolean taken = Boolean.getBoolean(PROPERTY);
  private final AtomicInteger threadsLeft = new AtomicInteger();
  private final AtomicLong calls = new AtomicLong();
  private final AtomicLong cpuNanos = new AtomicLong();
  private final AtomicLong wallNanos = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private int threads;

  /** Waits for a line on standard input. */
  @Setup(Level.Iteration)
  public void await(BenchmarkParams params) {
    threads = params.getThreads();
    threadsLeft.set(threads);
    calls.set(0);
    cpuNanos.set(0);
    wallNanos.set(0);
    bytes.set(0);
    if (taken) {
      System.out.println(READY);
      try {
        for (int c = System.in.read(); c != '\n'; c = System.in.read()) {
          if (c < 0) {
            throw new IllegalStateException("the runner has ended");
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** One thread has finished; the last one reports. */
  void finish(RoundSample sample) {
    calls.addAndGet(sample.calls());
    cpuNanos.addAndGet(sample.cpuNanos());
    wallNanos.addAndGet(sample.wallNanos());
    bytes.addAndGet(sample.bytes());
    if (threadsLeft.decrementAndGet() == 0 && taken) {
      RoundSample all =
          new RoundSample(calls.get(), cpuNanos.get(), wallNanos.get() / threads, bytes.get());
      System.out.println(DONE + all.print());
    }
  }
}
