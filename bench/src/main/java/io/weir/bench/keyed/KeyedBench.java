package io.weir.bench.keyed;

import io.weir.bench.run.Allowance;
import io.weir.bench.run.IterationCost;
import io.weir.bench.run.KeySequence;
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

/** One decision by key: Weir, its peers and the baseline, each in a separate process. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 1, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(
    value = 3,
    jvmArgs = {"-Xms2g", "-Xmx2g"})
@State(Scope.Benchmark)
public class KeyedBench {
  private static final int MANY = 1_000_000;

  /** The keys of the requests, and their outcome. */
  public enum Traffic {
    /** One key, always admitted. */
    HOT(1, Allowance.ONE_KEY),
    /** One key, always refused. */
    REFUSED(1, Allowance.REFUSING),
    /** A million keys with equal probability; always admitted. */
    UNIFORM(MANY, Allowance.MANY_KEYS),
    /** A million keys, the n-th with a probability in proportion to 1/n; always admitted. */
    ZIPF(MANY, Allowance.MANY_KEYS),
    /**
     * As {@link #UNIFORM}, with strings that are spread over the heap and in no CPU cache. They are
     * the objects that the table was filled with, so a map compares references only.
     */
    COLD(MANY, Allowance.MANY_KEYS);

    final int keys;
    final Allowance allowance;

    Traffic(int keys, Allowance allowance) {
      this.keys = keys;
      this.allowance = allowance;
    }
  }

  /** Whether requests use the same String objects as the table. */
  public enum Texts {
    /** Equal text in separate objects, as if parsed from a request. */
    OWN,
    /** The objects that the table was filled with. */
    SAME
  }

  @Param public KeyedSubjectKind peer;
  @Param public Traffic traffic;

  @Param("OWN")
  public Texts texts;

  private Subject subject;
  private String[] requests;

  /** Objects between cold keys on the heap. */
  private byte[][] neighbours;

  @Setup
  public void fill() {
    boolean cold = traffic == Traffic.COLD;
    neighbours = new byte[cold ? traffic.keys : 0][];
    String[] keys =
        cold ? KeySequence.scattered(traffic.keys, neighbours) : KeySequence.make(traffic.keys);
    int[] order =
        switch (traffic) {
          case HOT, REFUSED -> new int[1];
          case UNIFORM, COLD -> KeySequence.uniform(traffic.keys);
          case ZIPF -> KeySequence.zipf(traffic.keys);
        };
    requests = KeySequence.requests(keys, order, texts == Texts.OWN && !cold);
    subject = peer.make(traffic.allowance, traffic.keys, new RequestSequence(requests, cold));
    for (String key : keys) {
      if (!subject.tryAcquire(key) && !traffic.allowance.refuses()) {
        throw new IllegalStateException(peer + " refused a key it did not know");
      }
    }
    if (subject.tryAcquire(keys[0]) == traffic.allowance.refuses()) {
      throw new IllegalStateException(peer + " does not do what " + traffic + " asks for");
    }
  }

  @Benchmark
  public boolean decide(IterationCost cost) {
    int at = cost.calls++ & (requests.length - 1);
    return subject.tryAcquire(requests[at], at);
  }
}
