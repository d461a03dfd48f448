package io.weir.bench.keyed;

import io.weir.bench.run.Allowance;
import io.weir.bench.run.BenchProcess;
import io.weir.bench.run.Jvm;
import io.weir.bench.run.KeySequence;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.util.List;

/**
 * Heap of a limiter per key: heap in use after a collection with the keys in the limiter, minus the
 * heap in use before. {@link #main} is the measuring process.
 *
 * @param keys number of keys
 * @param all bytes per key, including key texts that the limiter retains
 * @param withoutTexts bytes per key, without key texts
 */
record HeapPerKey(int keys, double all, double withoutTexts) {
  private static final String RESULT = "#bytes ";

  static HeapPerKey measure(KeyedSubjectKind peer, int keys) {
    return new HeapPerKey(keys, run(peer, keys, false), run(peer, keys, true));
  }

  private static double run(KeyedSubjectKind peer, int keys, boolean textsBefore) {
    List<String> command = Jvm.command("4g");
    // A compacting collector: the heap in use then consists of objects, not of regions.
    command.add("-XX:+UseSerialGC");
    command.add(HeapPerKey.class.getName());
    command.addAll(List.of(peer.name(), Integer.toString(keys), Boolean.toString(textsBefore)));
    try (BenchProcess process = BenchProcess.start(peer + " with " + keys + " keys", command)) {
      return Double.parseDouble(process.await(RESULT)) / keys;
    }
  }

  public static void main(String[] args) {
    KeyedSubjectKind peer = KeyedSubjectKind.valueOf(args[0]);
    int keys = Integer.parseInt(args[1]);
    String[] texts = Boolean.parseBoolean(args[2]) ? KeySequence.make(keys) : new String[0];
    peer.make(Allowance.MANY_KEYS, 1, RequestSequence.of("warm")).tryAcquire("warm");
    long before = used();
    Subject subject = peer.make(Allowance.MANY_KEYS, keys, RequestSequence.of("user:0"));
    for (int i = 0; i < keys; i++) {
      if (!subject.tryAcquire(texts.length == 0 ? KeySequence.text(i) : texts[i])) {
        throw new IllegalStateException("refused");
      }
    }
    long after = used();
    Reference.reachabilityFence(texts);
    Reference.reachabilityFence(subject);
    System.out.println(RESULT + (after - before));
  }

  private static long used() {
    for (int i = 0; i < 2; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
