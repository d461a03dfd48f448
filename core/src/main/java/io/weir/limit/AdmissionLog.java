package io.weir.limit;

import java.util.Arrays;

/** The log of a key's admissions: times and amounts, oldest first, in one array of pairs. */
public final class AdmissionLog {
  /** How long entries of a longer window are retained after a call under a shorter one, in µs. */
  private static final long RETENTION_MICROS = 60_000_000;

  /** The highest count of a sliding log. */
  private static final int MAX_ENTRIES = 10_000;

  private long[] pairs = new long[8];
  private int first;
  private int size;
  private int counted;
  private long total;

  /** Entries before {@code first} that only a longer window counts, and their sum. */
  private int older;

  private long olderTotal;

  /**
   * The window for which entries are retained, and until when if it is longer than the one in
   * force.
   */
  private long retainedWindow;

  private long retainedUntil = Long.MAX_VALUE;

  /** An independent copy. */
  AdmissionLog copy() {
    AdmissionLog copy = new AdmissionLog();
    copy.pairs = pairs.clone();
    copy.first = first;
    copy.size = size;
    copy.total = total;
    copy.older = older;
    copy.olderTotal = olderTotal;
    copy.retainedWindow = retainedWindow;
    copy.retainedUntil = retainedUntil;
    return copy;
  }

  /** The sum of all amounts. */
  long total() {
    return total;
  }

  int size() {
    return size;
  }

  long time(int i) {
    return pairs[2 * (first + i)];
  }

  long amount(int i) {
    return pairs[2 * (first + i) + 1];
  }

  /**
   * Brings the log to the present under a window. If the window before was longer, some instances
   * may still use it. Entries that only the longer window counts are then retained for a while, but
   * hidden.
   */
  void open(long now, long window) {
    first -= older;
    size += older;
    total += olderTotal;
    older = 0;
    olderTotal = 0;
    if (size > 0 && retainedWindow > window) {
      retainedUntil = Math.min(retainedUntil, now + RETENTION_MICROS);
    }
    if (size == 0 || retainedWindow <= window || now >= retainedUntil) {
      retainedWindow = window;
      retainedUntil = Long.MAX_VALUE;
    }
    pullBackTo(now);
    while (size > 0
        && (time(0) <= now - retainedWindow || (size > MAX_ENTRIES && time(0) <= now - window))) {
      total -= amount(0);
      hideFirst();
    }
    while (size > 0 && time(0) <= now - window) {
      total -= amount(0);
      olderTotal += amount(0);
      older++;
      hideFirst();
    }
  }

  private void hideFirst() {
    first++;
    size--;
  }

  /**
   * When the last entry stops counting under any window; {@link Long#MIN_VALUE} if there is none.
   */
  long idleAt() {
    return size + older == 0 ? Long.MIN_VALUE : time(size - 1) + retainedWindow;
  }

  /** Moves entries later than {@code now} to now: the clock has stepped back. */
  private void pullBackTo(long now) {
    if (size == 0 || time(size - 1) <= now) {
      return;
    }
    long late = 0;
    while (size > 0 && time(size - 1) >= now) {
      late += amount(size - 1);
      size--;
    }
    total -= late;
    add(now, late);
  }

  /** Adds an amount at a time no earlier than the last entry. */
  void add(long time, long amount) {
    total += amount;
    if (size > 0 && time(size - 1) == time) {
      pairs[2 * (first + size - 1) + 1] += amount;
      return;
    }
    if (2 * (first + size) == pairs.length) {
      makeRoom();
    }
    int at = 2 * (first + size);
    pairs[at] = time;
    pairs[at + 1] = amount;
    size++;
  }

  /** Adds an amount at any time. */
  void insert(long time, long amount) {
    int at = size;
    while (at > 0 && time(at - 1) > time) {
      at--;
    }
    if (at == size) {
      add(time, amount);
      return;
    }
    total += amount;
    if (at > 0 && time(at - 1) == time) {
      pairs[2 * (first + at - 1) + 1] += amount;
      return;
    }
    if (2 * (first + size) == pairs.length) {
      makeRoom();
    }
    int from = 2 * (first + at);
    System.arraycopy(pairs, from, pairs, from + 2, 2 * (size - at));
    pairs[from] = time;
    pairs[from + 1] = amount;
    size++;
  }

  /**
   * Adds an amount without growing: it is merged into the last entry, which then counts as new.
   * This errs on the strict side.
   */
  void addToLast(long time, long amount) {
    if (size == 0) {
      add(time, amount);
      return;
    }
    int last = 2 * (first + size - 1);
    pairs[last] = Math.max(time, pairs[last]);
    pairs[last + 1] += amount;
    total += amount;
  }

  private void makeRoom() {
    int used = 2 * (older + size);
    long[] target = used > pairs.length / 2 ? new long[2 * pairs.length] : pairs;
    System.arraycopy(pairs, 2 * (first - older), target, 0, used);
    pairs = target;
    first = older;
  }

  /** Removes up to {@code amount} from the entry at {@code time}. */
  void remove(long time, long amount) {
    int low = 0;
    int high = size - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (time(middle) < time) {
        low = middle + 1;
      } else if (time(middle) > time) {
        high = middle - 1;
      } else {
        long back = Math.min(amount, amount(middle));
        pairs[2 * (first + middle) + 1] -= back;
        total -= back;
        if (amount(middle) == 0) {
          drop(middle);
        }
        return;
      }
    }
  }

  /** Drops an empty entry, so that a log has no more entries than its limit admits. */
  private void drop(int i) {
    System.arraycopy(pairs, 2 * (first + i + 1), pairs, 2 * (first + i), 2 * (size - i - 1));
    size--;
  }

  /** Removes up to {@code amount} from the newest entries. */
  void removeLast(long amount) {
    long left = Math.min(amount, total);
    total -= left;
    while (left > 0) {
      int last = 2 * (first + size - 1) + 1;
      long back = Math.min(left, pairs[last]);
      pairs[last] -= back;
      left -= back;
      if (pairs[last] == 0) {
        size--;
      }
    }
  }

  /** Heap bytes used. */
  public int bytes() {
    return 48 + 8 * pairs.length;
  }

  /** Heap bytes added since the last call of this method. */
  public int growth() {
    int growth = bytes() - counted;
    counted += growth;
    return growth;
  }

  @Override
  public String toString() {
    return Arrays.toString(Arrays.copyOfRange(pairs, 2 * first, 2 * (first + size)));
  }
}
