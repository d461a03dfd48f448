package io.weir.store.memory;

/**
 * A set of ids that expire, with a maximum size. Not thread-safe.
 *
 * <p>It has two generations. New ids join the young one. Once the last id of the old generation has
 * expired, or the young one holds half the maximum, the old one is dropped and the young one
 * becomes the old. So an id takes its own 8 bytes plus the slack of a hash table. It is kept
 * somewhat longer than required, which is harmless: it is then too old to be settled.
 *
 * <p>In strict mode the set also keeps the creation time of the latest id that was dropped before
 * its expiry: every id created up to then counts as marked, as it may have been.
 */
final class ExpiringIdSet {
  private final int mostYoung;
  private final boolean strict;
  private Generation young = new Generation();
  private Generation old = new Generation();

  /** Ids created before this time may have been marked and dropped. */
  private long unsureBefore = Long.MIN_VALUE;

  /**
   * An empty set.
   *
   * @param strict whether ids that may have been marked and dropped count as marked
   */
  ExpiringIdSet(int most, boolean strict) {
    this.mostYoung = most / 2;
    this.strict = strict;
  }

  /** Adds an id until it expires; false if it is in the set or may have been. */
  boolean add(long id, long madeAt, long until, long now) {
    sweep(now);
    if (madeAt < unsureBefore || contains(id)) {
      return false;
    }
    if (young.size == mostYoung) {
      unsureBefore = strict ? Math.max(unsureBefore, old.madeBefore) : unsureBefore;
      rotate();
    }
    young.add(id, madeAt, until);
    return true;
  }

  boolean contains(long id) {
    return old.contains(id) || young.contains(id);
  }

  void sweep(long now) {
    if (old.until <= now && young.size + old.size > 0) {
      rotate();
    }
  }

  private void rotate() {
    old = young;
    young = new Generation();
  }

  long bytes() {
    return 8L * (young.slots.length + old.slots.length);
  }

  /** A hash set of ids with open addressing; an empty slot is 0. */
  private static final class Generation {
    private static final long[] NONE = new long[0];
    private static final int SMALLEST = 8;

    /** Spreads ids over slots, and replaces the id 0. */
    private static final long GOLDEN = 0x9e3779b97f4a7c15L;

    private long[] slots = NONE;
    private int size;
    private long until = Long.MIN_VALUE;
    private long madeBefore = Long.MIN_VALUE;

    boolean contains(long id) {
      return size > 0 && slots[slotOf(slots, stored(id))] != 0;
    }

    void add(long id, long madeAt, long until) {
      if (size >= slots.length - slots.length / 4) {
        grow();
      }
      slots[slotOf(slots, stored(id))] = stored(id);
      size++;
      this.until = Math.max(this.until, until);
      this.madeBefore = Math.max(madeBefore, madeAt + 1);
    }

    private void grow() {
      long[] larger = new long[Math.max(SMALLEST, 2 * slots.length)];
      for (long stored : slots) {
        if (stored != 0) {
          larger[slotOf(larger, stored)] = stored;
        }
      }
      slots = larger;
    }

    private static long stored(long id) {
      return id == 0 ? GOLDEN : id;
    }

    /** The slot of an id, or the free slot for it. */
    private static int slotOf(long[] slots, long stored) {
      int slot = (int) ((stored * GOLDEN) >>> 32) & (slots.length - 1);
      while (slots[slot] != 0 && slots[slot] != stored) {
        slot = (slot + 1) & (slots.length - 1);
      }
      return slot;
    }
  }
}
