package io.weir.observe;

import io.weir.Key;
import io.weir.LimitStatus;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.time.TimeSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Finds the hottest buckets without counting all of them.
 *
 * <p>A space-saving sketch: {@value #COUNTERS} counters, each for one bucket. A bucket without a
 * counter takes over the smallest counter with its count, which is the most by which the new count
 * can be too high. A bucket with more than 1/{@value #COUNTERS} of all sampled calls is never
 * missed. One call in {@value #SAMPLED} is sampled, and no call waits: if another thread is
 * counting, the call is skipped. Results are those of the last full window of 10 s, or of the
 * current window until the first one is full. The calls that the store answered are counted
 * separately, in the same way: a flood that is refused from memory is hot, but costs the store
 * nothing.
 */
public final class HotKeySketch {
  static final int COUNTERS = 128;
  static final int SAMPLED = 32;
  static final long SPAN = 10_000_000;

  /**
   * A hot bucket.
   *
   * @param perSecond calls per second, estimated; rather too high than too low
   * @param share the fraction of all calls, estimated likewise
   * @param storePerSecond the calls per second that the store answered
   */
  public record HotKey(Pool pool, Key key, double perSecond, double share, double storePerSecond) {}

  /** The counter of one bucket. Mutable, as it is updated where calls must not wait. */
  private static final class Counter {
    final Pool pool;
    final Key key;
    final long overestimate;
    long count;
    long answered;

    Counter(Pool pool, Key key, long overestimate) {
      this.pool = pool;
      this.key = key;
      this.overestimate = overestimate;
      this.count = overestimate + 1;
    }

    boolean isOf(Pool other, Key otherKey) {
      return pool == other && key.low() == otherKey.low() && key.high() == otherKey.high();
    }
  }

  private final TimeSource time;
  private final AtomicBoolean busy = new AtomicBoolean();
  private final @Nullable Counter[] counters = new Counter[COUNTERS];
  private long startedMicros;
  private long calls;
  private volatile @Nullable List<HotKey> last;

  public HotKeySketch(TimeSource time) {
    this.time = time;
    this.startedMicros = time.micros();
  }

  /** Counts a call, if it is sampled. */
  public void note(List<Draw> draws) {
    if (isSampled()) {
      count(draws);
    }
  }

  /** Counts the draws of a call that the store answered, if the call is sampled. */
  public void noteAnswered(List<Draw> draws, List<LimitStatus> statuses) {
    if (isSampled()) {
      countAnswered(draws, statuses);
    }
  }

  private static boolean isSampled() {
    return (ThreadLocalRandom.current().nextInt() & (SAMPLED - 1)) == 0;
  }

  /** Counts a call, unless it only looks. */
  void count(List<Draw> draws) {
    if (!isLook(draws) && busy.compareAndSet(false, true)) {
      try {
        rotate(time.micros());
        calls++;
        for (int i = 0; i < draws.size(); i++) {
          count(draws.get(i).pool(), draws.get(i).key());
        }
      } finally {
        busy.set(false);
      }
    }
  }

  private static boolean isLook(List<Draw> draws) {
    return !draws.isEmpty() && draws.get(0).intent() == Draw.Intent.LOOK;
  }

  /** Counts the draws of a call that the store answered, unless it only looks. */
  void countAnswered(List<Draw> draws, List<LimitStatus> statuses) {
    if (!isLook(draws) && busy.compareAndSet(false, true)) {
      try {
        for (int i = 0; i < draws.size(); i++) {
          if (statuses.get(i).answered()) {
            countAnswered(draws.get(i).pool(), draws.get(i).key());
          }
        }
      } finally {
        busy.set(false);
      }
    }
  }

  /** Counts an answer of the store, if the bucket has a counter; other buckets are not hot. */
  private void countAnswered(Pool pool, Key key) {
    for (Counter here : counters) {
      if (here == null) {
        return;
      }
      if (here.isOf(pool, key)) {
        here.answered++;
        return;
      }
    }
  }

  private void count(Pool pool, Key key) {
    int smallest = 0;
    long least = Long.MAX_VALUE;
    for (int i = 0; i < COUNTERS; i++) {
      Counter here = counters[i];
      if (here == null) {
        counters[i] = new Counter(pool, key, 0);
        return;
      }
      if (here.isOf(pool, key)) {
        here.count++;
        return;
      }
      if (here.count < least) {
        least = here.count;
        smallest = i;
      }
    }
    counters[smallest] = new Counter(pool, key, least);
  }

  private void rotate(long now) {
    if (now - startedMicros >= SPAN) {
      last = now - startedMicros < 2 * SPAN ? ranked(now) : List.of();
      java.util.Arrays.fill(counters, null);
      calls = 0;
      startedMicros = now;
    }
  }

  /** The buckets by count, without those whose count may be mostly that of others. */
  private List<HotKey> ranked(long now) {
    double seconds = Math.max(1, now - startedMicros) / 1e6;
    List<HotKey> ranked = new ArrayList<>();
    for (Counter counter : counters) {
      if (counter != null && counter.count >= 2 * counter.overestimate) {
        ranked.add(
            new HotKey(
                counter.pool,
                counter.key,
                counter.count * SAMPLED / seconds,
                (double) counter.count / calls,
                counter.answered * SAMPLED / seconds));
      }
    }
    ranked.sort(Comparator.comparingDouble(HotKey::perSecond).reversed());
    return List.copyOf(ranked);
  }

  /** The hottest buckets, at most this many. */
  public List<HotKey> top(int most) {
    while (!busy.compareAndSet(false, true)) {
      Thread.onSpinWait();
    }
    try {
      long now = time.micros();
      rotate(now);
      List<HotKey> all = last == null ? ranked(now) : last;
      return all.subList(0, Math.min(most, all.size()));
    } finally {
      busy.set(false);
    }
  }
}
