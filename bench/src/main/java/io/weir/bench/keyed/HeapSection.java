package io.weir.bench.keyed;

import io.weir.bench.report.Report;
import java.util.EnumSet;

/** Heap per key: ten million keys for Weir and the baseline, a million for the others. */
public final class HeapSection {
  private static final int ALL = 10_000_000;
  private static final int FEWER = 1_000_000;

  private final Report report;

  public HeapSection(Report report) {
    this.report = report;
  }

  public void run() {
    for (KeyedSubjectKind peer :
        EnumSet.complementOf(EnumSet.of(KeyedSubjectKind.SENTINEL, KeyedSubjectKind.WEIR_HASHED))) {
      System.err.println("  heap: " + peer);
      HeapPerKey heap =
          HeapPerKey.measure(peer, KeyedSubjectKind.OTHERS.contains(peer) ? FEWER : ALL);
      report.cell(peer.title, "heap B/key", "%.0f", heap.all());
      report.cell(peer.title, "without key text", "%.0f", heap.withoutTexts());
      report.cell(peer.title, "at", "%dM keys", heap.keys() / 1_000_000);
      if (peer == KeyedSubjectKind.WEIR) {
        report.atMost("heap per key at 10M keys", heap.all(), 40, " B");
      }
    }
  }
}
