package io.weir.control.whatif;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Merges the recordings of several instances in time order: at the smallest share of callers of
 * any, and from the moment since which all are complete. Memory is bounded by {@value #MAX_CALLS}
 * calls; above that the share is halved further.
 */
public final class RecordingMerge {
  static final int MAX_CALLS = 500_000;

  private final int maxCalls;
  private List<RecordedCall> calls = new ArrayList<>();
  private int level;
  private long completeSince = Recording.ALWAYS;
  private long skipped;

  public RecordingMerge() {
    this(MAX_CALLS);
  }

  RecordingMerge(int maxCalls) {
    this.maxCalls = maxCalls;
  }

  /** Adds the recording of one instance. */
  public void add(Recording recording) {
    completeSince = Math.max(completeSince, recording.completeSince());
    skipped += recording.skipped();
    raise(recording.level());
    for (RecordedCall call : recording.calls()) {
      if (call.isSampled(level)) {
        calls.add(call);
        while (calls.size() > maxCalls && level < CallRing.MAX_LEVEL) {
          raise(level + 1);
        }
      }
    }
  }

  private void raise(int higher) {
    if (higher > level) {
      level = higher;
      calls.removeIf(call -> !call.isSampled(level));
    }
  }

  /** All recordings as one. */
  public Recording merged() {
    List<RecordedCall> merged = new ArrayList<>(calls);
    merged.removeIf(call -> call.at() < completeSince);
    merged.sort(Comparator.comparingLong(RecordedCall::at));
    return new Recording(level, completeSince, skipped, List.copyOf(merged));
  }
}
