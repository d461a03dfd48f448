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
 * What one thread spends in an iteration: processor time, which other processes on the machine
 * disturb far less than they disturb wall time, and heap.
 */
@State(Scope.Thread)
public class IterationCost {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** Decisions made; benchmarks count them, and find their place in an order of keys by it. */
  public int calls;

  private int callsBefore;
  private long cpuBefore;
  private long wallBefore;
  private long bytesBefore;

  /** Threads begin at different places of the order, or one would find what the other fetched. */
  @Setup
  public void spread(ThreadParams params) {
    calls = params.getThreadIndex() * (KeySequence.ORDER / params.getThreadCount());
  }

  /** Needs the turn, so that it begins after the wait. */
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
    // The counter may wrap; the difference is right all the same.
    turn.finish(new RoundSample(calls - callsBefore, cpu, wall, bytes));
  }
}
