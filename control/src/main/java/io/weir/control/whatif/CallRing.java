package io.weir.control.whatif;

import io.weir.Call;
import io.weir.Decision;
import io.weir.DecisionListener;
import io.weir.rule.RuleSet;
import io.weir.time.TimeSource;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/**
 * The recent calls of a sample of callers, within a bound of calls and bytes.
 *
 * <p>The sample is by hash: of one in 2<sup>level</sup> callers every call is recorded, of the
 * others none. A caller in the sample of one level is in that of every lower level, on all
 * instances, so recordings of different levels can be merged at the highest.
 *
 * <pre>
 *   full, spans under 10 min ─► level + 1: half of the callers leave, with all their calls
 *   spans over 20 min        ─► level - 1: as many callers join; their calls are complete from now
 * </pre>
 *
 * After a level was lowered, a snapshot holds the earlier sample for 10 minutes, and then the
 * larger one since the change. A sample is never cut below {@value #FEWEST_CALLERS} callers: the
 * oldest calls leave then, and the snapshot spans less than 10 minutes.
 *
 * <p>A call outside the sample costs a hash of its caller and one comparison, and no lock.
 */
public final class CallRing implements DecisionListener {
  static final long SPAN_MICROS = 600_000_000;
  static final int FEWEST_CALLERS = 32;
  static final int MAX_LEVEL = 30;
  private static final long NEVER = Long.MIN_VALUE;

  private final RecordingSettings settings;
  private final ValueHash hash;
  private final CallEncoder encoder;
  private final TimeSource time;
  private final LongAdder skipped = new LongAdder();
  private final ArrayDeque<RecordedCall> calls = new ArrayDeque<>();
  private volatile int level;
  private long bytes;
  private long grownAt = NEVER;

  /** The time of the newest call that left for lack of room, or {@link #NEVER}. */
  private long evictedAt = NEVER;

  /** How many more calls to add before another attempt to halve a sample of few callers. */
  private int untilHalving;

  public CallRing(RecordingSettings settings, ValueHash hash, TimeSource time) {
    this.settings = settings;
    this.hash = hash;
    this.encoder = new CallEncoder(hash);
    this.time = time;
  }

  /** The rules in force: attributes that they take as cost are recorded as numbers. */
  public void rules(RuleSet rules) {
    encoder.rules(rules);
  }

  @Override
  public void onDecision(Call call, Decision decision) {
    String caller = CallEncoder.callerOf(call);
    int position = hash.position(caller);
    if (!RecordedCall.isSampled(position, level)) {
      return;
    }
    encoder
        .encode(time.micros(), position, caller, call, decision)
        .ifPresentOrElse(this::add, skipped::increment);
  }

  /** The share of callers in the sample is one in 2<sup>level</sup>. */
  public int level() {
    return level;
  }

  /** The number of calls held. */
  public synchronized int size() {
    return calls.size();
  }

  /** Heap bytes of the calls held. */
  public synchronized long bytes() {
    return bytes;
  }

  private synchronized void add(RecordedCall call) {
    if (!call.isSampled(level)) {
      return;
    }
    calls.addLast(call);
    bytes += call.bytes();
    untilHalving--;
    while (calls.size() > settings.calls() || bytes > settings.bytes()) {
      makeRoom(call.at());
    }
    grow(call.at());
  }

  private void makeRoom(long now) {
    RecordedCall oldest = calls.getFirst();
    boolean tooShort = now - oldest.at() < SPAN_MICROS;
    if (!tooShort || untilHalving > 0 || !halve()) {
      calls.removeFirst();
      bytes -= oldest.bytes();
      evictedAt = Math.max(evictedAt, oldest.at());
    }
  }

  private boolean halve() {
    Set<Long> kept = new HashSet<>();
    for (RecordedCall call : calls) {
      if (call.isSampled(level + 1) && kept.size() < FEWEST_CALLERS) {
        kept.add(call.caller());
      }
    }
    if (kept.size() < FEWEST_CALLERS || level == MAX_LEVEL) {
      untilHalving = calls.size() / 4;
      return false;
    }
    level++;
    calls.removeIf(call -> !call.isSampled(level));
    bytes = calls.stream().mapToLong(RecordedCall::bytes).sum();
    grownAt = NEVER;
    return true;
  }

  private void grow(long now) {
    if (level > 0
        && now - calls.getFirst().at() >= 2 * SPAN_MICROS
        && (grownAt == NEVER || now - grownAt >= 2 * SPAN_MICROS)) {
      level--;
      grownAt = now;
    }
  }

  /**
   * The calls held, in order, with times of the database's clock.
   *
   * @param clockOffsetMicros how far that clock is ahead of this process's wall clock
   */
  public Recording snapshot(long clockOffsetMicros) {
    long now = time.micros();
    long toWall = time.wallMicros() - now + clockOffsetMicros;
    List<RecordedCall> held;
    int sampled;
    long since;
    synchronized (this) {
      boolean recentlyGrown = grownAt != NEVER && now - grownAt < SPAN_MICROS;
      sampled = recentlyGrown ? level + 1 : level;
      since = recentlyGrown ? evictedAt : Math.max(evictedAt, grownAt);
      held = List.copyOf(calls);
    }
    List<RecordedCall> kept =
        held.stream()
            .filter(call -> call.at() >= since && call.isSampled(sampled))
            .map(call -> call.at(call.at() + toWall))
            .sorted(Comparator.comparingLong(RecordedCall::at))
            .toList();
    return new Recording(
        sampled, since == NEVER ? Recording.ALWAYS : since + toWall, skipped.sum(), kept);
  }
}
