package io.weir.bench.run;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * Cost of one thread in an iteration: CPU time, which other processes on the machine disturb far
 * less than wall time, and heap.
 */
@State(Scope.Thread)
public class IterationCost {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** Number of decisions; benchmarks increment it, and use it as index into an order of keys. */
  public int calls;

  private int callsBefore;
  private long cpuBefore;
  private long wallBefore;
  private long bytesBefore;

  /**
   * Threads start at different indexes; otherwise one would find in cache what the other fetched.
   */
  @Setup
  public void spread(ThreadParams params) {
    calls = params.getThreadIndex() * (KeySequence.ORDER / params.getThreadCount());
  }

  /** Depends on the turn, so that it begins after the wait. */
  @Setup(Level.Iteration)
  public void begin(TurnBarrier turn) {
    callsBefore = calls;
    bytesBefore = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
    wallBefore = System.nanoTime();
    cpuBefore = THREADS.getCurrentThreadCpuTime();
  }

  @TearDown(Level.Iteration)
  public void end(TurnBarrier turn) {
    long cpu = THREADS.getCurrentThreadCpuTime() - cpuBefore;
    long wall = System.nanoTime() - wallBefore;
    long bytes = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId()) - bytesBefore;
    // The counter may overflow; the difference is still correct.
    turn.finish(new RoundSample(calls - callsBefore, cpu, wall, bytes));
  }
}
