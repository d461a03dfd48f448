package io.weir.limit;

/** The permits held under one key: holder, amount and deadline of each, in one array of triples. */
public final class Permits {
  private static final int WIDTH = 3;

  private long[] triples = new long[4 * WIDTH];
  private int size;
  private int counted;
  private long held;

  /** The longest lifetime of any of them, in µs. */
  private long longest;

  /** An independent copy. */
  Permits copy() {
    Permits copy = new Permits();
    copy.triples = triples.clone();
    copy.size = size;
    copy.held = held;
    copy.longest = longest;
    return copy;
  }

  /** The sum of all amounts held. */
  long held() {
    return held;
  }

  int size() {
    return size;
  }

  /**
   * Drops expired permits. If a deadline is further ahead than the longest lifetime, the clock has
   * stepped back, and the deadline is moved closer. Permits granted for longer than {@code ttl}
   * keep their deadline.
   */
  void expire(long now, long ttl) {
    long latest = now + Math.max(ttl, longest);
    int kept = 0;
    for (int i = 0; i < size; i++) {
      long deadline = triples[WIDTH * i + 2];
      if (deadline > now) {
        put(kept++, holder(i), amount(i), Math.min(deadline, latest));
      } else {
        held -= amount(i);
      }
    }
    size = kept;
    if (size == 0) {
      longest = 0;
    }
  }

  /** Adds a permit. */
  void add(long holder, long amount, long now, long ttl) {
    longest = Math.max(longest, ttl);
    if (WIDTH * size == triples.length) {
      triples = java.util.Arrays.copyOf(triples, 2 * triples.length);
    }
    put(size++, holder, amount, now + ttl);
    held += amount;
  }

  /** Releases a permit; false if it is not held. */
  boolean remove(long holder) {
    int i = indexOf(holder);
    if (i < 0) {
      return false;
    }
    held -= amount(i);
    size--;
    put(i, holder(size), amount(size), triples[WIDTH * size + 2]);
    return true;
  }

  /** Renews a permit; false if it is not held. */
  boolean renew(long holder, long now, long ttl) {
    int i = indexOf(holder);
    if (i < 0) {
      return false;
    }
    longest = Math.max(longest, ttl);
    triples[WIDTH * i + 2] = now + ttl;
    return true;
  }

  /** The latest deadline, or {@link Long#MIN_VALUE} if nothing is held. */
  long lastDeadline() {
    long last = Long.MIN_VALUE;
    for (int i = 0; i < size; i++) {
      last = Math.max(last, triples[WIDTH * i + 2]);
    }
    return last;
  }

  /** Heap bytes used. */
  public int bytes() {
    return 48 + 8 * triples.length;
  }

  /** Heap bytes added since the last call of this method. */
  public int growth() {
    int growth = bytes() - counted;
    counted += growth;
    return growth;
  }

  private int indexOf(long holder) {
    for (int i = 0; i < size; i++) {
      if (holder(i) == holder) {
        return i;
      }
    }
    return -1;
  }

  private long holder(int i) {
    return triples[WIDTH * i];
  }

  private long amount(int i) {
    return triples[WIDTH * i + 1];
  }

  private void put(int i, long holder, long amount, long deadline) {
    triples[WIDTH * i] = holder;
    triples[WIDTH * i + 1] = amount;
    triples[WIDTH * i + 2] = deadline;
  }
}
