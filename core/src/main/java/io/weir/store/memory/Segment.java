package io.weir.store.memory;

import io.weir.Algorithm;
import io.weir.limit.BucketMeter;
import io.weir.limit.LimitState;
import io.weir.limit.Meter;
import org.jspecify.annotations.Nullable;

/**
 * One part of the memory table, with its own lock.
 *
 * <pre>
 *   slot:  │ low 64 │ high 64 │ time 48 · meter id 16 │ used 64 │   32 bytes
 *           └ fingerprint ──┘  └ the limit's state ───────────┘
 * </pre>
 *
 * <p>Slots are in one array, sorted by the low half of the fingerprint with gaps in between: a
 * key's home slot is proportional to its fingerprint, and a key whose home is taken moves right.
 * Because it is sorted, the array grows in one pass from left to right. There is no wrap-around;
 * some spill slots follow the last home, and the last slot is always free.
 *
 * <p>A search scans the tags, one byte per slot, up to the first free one, and reads a slot only if
 * its tag matches. The tags of a million keys stay in the processor's cache; the slots do not. Only
 * one key in four is in its home slot, which a branch predictor cannot learn. If the search read
 * slots instead of tags, a wrong guess would be noticed only after a load from memory, and the
 * processor would meanwhile prefetch nothing useful for the next decision.
 *
 * <p>All methods are called with the lock held.
 */
final class Segment extends SpinLock {
  private static final int WIDTH = 4;
  private static final int SPILL = 32;
  private static final int METER_BITS = 16;
  private static final int METER_MASK = 0xffff;

  /**
   * Sliding windows store the current count in the lower half of the last word and the previous
   * count in the upper.
   */
  private static final int HALF = 32;

  private static final long LOW_HALF = 0xffffffffL;

  /** How long a slot of a limit without an id lives after its last use, in µs. */
  private static final long UNNUMBERED_LIFE = 32L * 24 * 3600 * 1_000_000;

  private long[] table;

  /** A {@link SlotHash#tag} for every used slot, 0 for free ones. */
  private byte[] tags;

  private @Nullable SlotExtras extras;
  private int size;
  private int clockHand;
  private final int fullSlots;
  private final MeterIds meterIds;
  private final PackedTime packedTime;
  private final TableUsage usage;
  private final TableShares shares;

  /** This segment's index; locks are taken in this order. */
  final int order;

  /** Scratch state for the holder of the lock. */
  final LimitState state = new LimitState();

  /** Scratch state for reading other slots. */
  private final LimitState scratch = new LimitState();

  /** The latest time seen here, in µs; maintained by the holder of the lock. */
  long latest = Long.MIN_VALUE;

  /**
   * An empty segment.
   *
   * @param order this segment's index; locks are taken in this order
   * @param fullSlots the number of home slots to stop growing at, if sufficient
   */
  Segment(
      int order,
      int fullSlots,
      MeterIds meterIds,
      PackedTime packedTime,
      TableUsage usage,
      TableShares shares) {
    this.order = order;
    this.fullSlots = fullSlots;
    this.meterIds = meterIds;
    this.packedTime = packedTime;
    this.usage = usage;
    this.shares = shares;
    this.table = new long[(8 + SPILL) * WIDTH];
    this.tags = new byte[8 + SPILL];
    usage.addBytes(8L * table.length + tags.length);
  }

  // ---- finding

  /** The slot of a fingerprint, or −1. */
  int find(long high, long low) {
    byte[] tags = this.tags;
    byte tag = SlotHash.tag(low);
    for (int slot = SlotHash.home(low, tags.length - SPILL); tags[slot] != 0; slot++) {
      if (tags[slot] == tag) {
        int at = slot * WIDTH;
        if (table[at] == low && table[at + 1] == high) {
          return slot;
        }
      }
    }
    return -1;
  }

  /** The slot for a fingerprint that is not in the table. */
  private int insertionSlot(long low) {
    int slot = SlotHash.home(low, homes(table));
    while (table[slot * WIDTH + 2] != 0 && Long.compareUnsigned(table[slot * WIDTH], low) <= 0) {
      slot++;
    }
    return slot;
  }

  /** Whether this slot, found before, still holds the fingerprint. */
  boolean isAt(int slot, long high, long low) {
    int at = slot * WIDTH;
    return slot >= 0
        && at < table.length
        && table[at] == low
        && table[at + 1] == high
        && table[at + 2] != 0;
  }

  private static int homes(long[] table) {
    return table.length / WIDTH - SPILL;
  }

  // ---- reading and writing states

  /** Loads the state of a slot. */
  void load(int slot, PoolBinding binding, LimitState into) {
    int at = slot * WIDTH;
    int meterId = (int) table[at + 2] & METER_MASK;
    Meter meter = meterId == binding.meterId() ? binding.meter() : meterIds.meter(meterId);
    load(at, meter, into);
  }

  private void load(int at, Meter meter, LimitState into) {
    into.clear();
    into.meter = meter;
    into.time = packedTime.absolute(table[at + 2] >>> METER_BITS, meter.onWallClock());
    long used = table[at + 3];
    Algorithm algorithm = meter.limit().algorithm();
    if (algorithm == Algorithm.SLIDING_WINDOW) {
      into.used = used & LOW_HALF;
      into.previous = used >>> HALF;
    } else {
      into.used = used;
    }
    if (extras != null) {
      extras.load(at / WIDTH, into);
    }
  }

  /** Saves a state in the slot that it was loaded from. */
  void save(int slot, PoolBinding binding, LimitState state) {
    Meter meter = binding.meter();
    int at = slot * WIDTH;
    table[at + 2] =
        packedTime.relative(state.time, meter.onWallClock()) << METER_BITS | binding.meterId();
    table[at + 3] =
        meter.limit().algorithm() == Algorithm.SLIDING_WINDOW
            ? state.used | state.previous << HALF
            : state.used;
    Object extra = SlotExtras.of(state);
    if (extra != null) {
      extras().keep(slot, extra);
    } else if (extras != null) {
      extras.clear(slot);
    }
  }

  private SlotExtras extras() {
    SlotExtras all = extras;
    if (all == null) {
      all = new SlotExtras(table.length / WIDTH, usage);
      extras = all;
    }
    return all;
  }

  /**
   * Keeps a bucket unchanged that a call took nothing from, except after a backward clock step. A
   * bucket written under other numbers lives as long as it has a deficit under these.
   *
   * @param opened the bucket as the call saw it
   */
  void keepUnchanged(int slot, PoolBinding binding, LimitState opened, long now) {
    if (!binding.meter().writes()) {
      return;
    }
    int at = slot * WIDTH;
    long word = table[at + 2];
    if (now < packedTime.absolute(word >>> METER_BITS, false)) {
      table[at + 2] = packedTime.relative(opened.time, false) << METER_BITS | (word & METER_MASK);
    }
    if ((int) (word & METER_MASK) != binding.meterId()) {
      extras().keepUntil(slot, binding.meter().idleAt(opened));
    }
  }

  /** Whether a slot was last written under this limit and has no extra state. */
  boolean isWrittenUnder(int slot, PoolBinding binding) {
    return ((int) table[slot * WIDTH + 2] & METER_MASK) == binding.meterId()
        && (extras == null || extras.get(slot) == null);
  }

  /**
   * Takes from a token bucket directly in its slot: equivalent to load, decide and save, without a
   * state object. The slot was last written under the same limit.
   *
   * @return the deficit afterwards; if the call is refused, {@code -1 - deficit}
   */
  long takeInPlace(int slot, BucketMeter bucket, long now, long cost) {
    int at = slot * WIDTH;
    long word = table[at + 2];
    long then = packedTime.absolute(word >>> METER_BITS, false);
    long used = bucket.usedAt(now, then, table[at + 3]);
    if (bucket.admits(used, cost)) {
      if (cost == 0) {
        return used;
      }
      long after = bucket.usedAfter(used, cost);
      table[at + 2] =
          packedTime.relative(bucket.tickOf(now), false) << METER_BITS | (word & METER_MASK);
      table[at + 3] = after;
      return after;
    }
    if (now < then) {
      table[at + 2] =
          packedTime.relative(bucket.tickOf(now), false) << METER_BITS | (word & METER_MASK);
    }
    return -1 - used;
  }

  // ---- adding and removing

  /** Adds a fingerprint that is not in the table. */
  void insert(
      long high, long low, PoolBinding binding, LimitState state, long monotonic, long wall) {
    save(makeSlot(high, low, monotonic, wall), binding, state);
    shares.added(binding.share(), high);
  }

  private int makeSlot(long high, long low, long monotonic, long wall) {
    if (size + 1 > homes(table) - homes(table) / 8) {
      rebuild(monotonic, wall, grown(size + 1));
    }
    while (true) {
      int slot = insertionSlot(low);
      int free = slot;
      while (free * WIDTH < table.length && table[free * WIDTH + 2] != 0) {
        free++;
      }
      if ((free + 1) * WIDTH < table.length) {
        shiftRight(slot, free);
        int at = slot * WIDTH;
        table[at] = low;
        table[at + 1] = high;
        table[at + 3] = 0;
        tags[slot] = SlotHash.tag(low);
        size++;
        return slot;
      }
      rebuild(monotonic, wall, grown(homes(table)));
    }
  }

  private void shiftRight(int slot, int free) {
    System.arraycopy(table, slot * WIDTH, table, (slot + 1) * WIDTH, (free - slot) * WIDTH);
    System.arraycopy(tags, slot, tags, slot + 1, free - slot);
    if (extras != null) {
      extras.move(slot, slot + 1, free - slot);
      extras.clear(slot);
    }
  }

  /**
   * The home slots for this many keys, with room to grow by an eighth; at most as many as a full
   * table needs, if sufficient.
   */
  private int grown(int keys) {
    int needed = keys + keys / 7 + 1;
    int roomy = Math.max(8, needed + needed / 8);
    return needed <= fullSlots ? Math.min(roomy, Math.max(fullSlots, 8)) : roomy;
  }

  /** Evicts idle keys in the next {@code steps} slots; true if any was found. */
  boolean evictSome(int steps, long monotonic, long wall) {
    boolean any = false;
    int slots = table.length / WIDTH;
    for (int i = 0; i < steps && i < slots; i++) {
      clockHand = clockHand + 1 < slots ? clockHand + 1 : 0;
      while (table[clockHand * WIDTH + 2] != 0 && isIdle(clockHand * WIDTH, monotonic, wall)) {
        remove(clockHand);
        any = true;
      }
    }
    return any;
  }

  /** Removes the key in a slot. */
  void remove(int slot) {
    SlotExtras.free(extras, slot);
    shares.removed(table[slot * WIDTH + 1]);
    int last = slot;
    int homes = homes(table);
    while ((last + 1) * WIDTH < table.length
        && table[(last + 1) * WIDTH + 2] != 0
        && SlotHash.home(table[(last + 1) * WIDTH], homes) <= last) {
      last++;
    }
    System.arraycopy(table, (slot + 1) * WIDTH, table, slot * WIDTH, (last - slot) * WIDTH);
    table[last * WIDTH + 2] = 0;
    System.arraycopy(tags, slot + 1, tags, slot, last - slot);
    tags[last] = 0;
    if (extras != null) {
      extras.move(slot + 1, slot, last - slot);
      extras.clear(last);
    }
    size--;
  }

  private boolean isIdle(int at, long monotonic, long wall) {
    int meterId = (int) table[at + 2] & METER_MASK;
    if (MeterIds.isNone(meterId)) {
      boolean onWall = meterId == MeterIds.NONE_ON_WALL;
      long end = packedTime.absolute(table[at + 2] >>> METER_BITS, onWall) + UNNUMBERED_LIFE;
      return end <= (onWall ? wall : monotonic);
    }
    Meter meter = meterIds.meter(meterId);
    load(at, meter, scratch);
    if (extras != null && extras.isKept(at / WIDTH, monotonic)) {
      return false;
    }
    return meter.idleAt(scratch) <= (meter.onWallClock() ? wall : monotonic);
  }

  /** Drops idle keys if they are worth a rebuild, and frees memory. */
  void sweep(long monotonic, long wall) {
    int idle = 0;
    for (int at = 0; at < table.length; at += WIDTH) {
      if (table[at + 2] != 0 && isIdle(at, monotonic, wall)) {
        idle++;
      }
    }
    if (idle > size / 8) {
      rebuild(monotonic, wall, grown(size - idle));
    }
  }

  /** Moves all keys that are not idle into an array of another size, from left to right. */
  private void rebuild(long monotonic, long wall, int homes) {
    long[] from = table;
    SlotExtras fromExtras = extras;
    for (int wanted = homes; ; wanted += wanted / 8 + 1) {
      long[] to = new long[(wanted + SPILL) * WIDTH];
      byte[] toTags = new byte[wanted + SPILL];
      SlotExtras toExtras = fromExtras == null ? null : fromExtras.empty(wanted + SPILL);
      int next = 0;
      int kept = 0;
      boolean fits = true;
      for (int at = 0; at < from.length && fits; at += WIDTH) {
        if (from[at + 2] == 0 || isIdle(at, monotonic, wall)) {
          continue;
        }
        int slot = Math.max(next, SlotHash.home(from[at], wanted));
        fits = (slot + 1) * WIDTH < to.length;
        if (fits) {
          System.arraycopy(from, at, to, slot * WIDTH, WIDTH);
          toTags[slot] = SlotHash.tag(from[at]);
          if (toExtras != null) {
            toExtras.set(slot, fromExtras.get(at / WIDTH));
          }
          next = slot + 1;
          kept++;
        }
      }
      if (fits) {
        if (kept < size) {
          freeIdle(monotonic, wall);
        }
        swap(to, toTags, toExtras, kept);
        return;
      }
    }
  }

  /** Releases the extra state of idle keys. */
  private void freeIdle(long monotonic, long wall) {
    for (int at = 0; at < table.length; at += WIDTH) {
      if (table[at + 2] != 0 && isIdle(at, monotonic, wall)) {
        SlotExtras.free(extras, at / WIDTH);
        shares.removed(table[at + 1]);
      }
    }
  }

  private void swap(long[] to, byte[] toTags, @Nullable SlotExtras toExtras, int kept) {
    if (extras != null) {
      usage.addBytes(4L * (to.length - table.length) / WIDTH);
    }
    usage.addBytes(8L * (to.length - table.length) + toTags.length - tags.length);
    table = to;
    tags = toTags;
    extras = toExtras;
    size = kept;
    clockHand = 0;
  }
}
