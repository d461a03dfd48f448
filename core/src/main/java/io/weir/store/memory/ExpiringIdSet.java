package io.weir.store.memory;

/**
 * Ids that are remembered until their time has come, or until there are too many. For one thread at
 * a time.
 *
 * <p>They are in two generations. New ones join the young; once the last of the old has had its
 * time, or the young are half of all there may be, the old are forgotten and the young become the
 * old. So an id takes no more than its own 8 bytes and some room to find it by, and is remembered
 * somewhat longer than asked for, which does no harm: the id is then too old to be settled anyway.
 *
 * <p>Of ids that are forgotten before their time it can stay known when the last of them was made:
 * whatever was made by then counts as marked, as it may have been.
 */
final class ExpiringIdSet {
  private final int mostYoung;
  private final boolean strict;
  private Generation young = new Generation();
  private Generation old = new Generation();

  /** What was made before this may have been marked and forgotten. */
  private long unsureBefore = Long.MIN_VALUE;

  /**
   * None yet.
   *
   * @param strict whether what may have been marked and forgotten counts as marked
   */
  ExpiringIdSet(int most, boolean strict) {
    this.mostYoung = most / 2;
    this.strict = strict;
  }

  /** Remembers an id until then; false if it is remembered already, or may have been. */
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

    /** Spreads ids over slots, and stands in for the id 0. */
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

    /** Where it is, or would go. */
    private static int slotOf(long[] slots, long stored) {
      int slot = (int) ((stored * GOLDEN) >>> 32) & (slots.length - 1);
      while (slots[slot] != 0 && slots[slot] != stored) {
        slot = (slot + 1) & (slots.length - 1);
      }
      return slot;
    }
  }
}
