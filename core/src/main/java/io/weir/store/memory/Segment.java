package io.weir.store.memory;

import io.weir.Algorithm;
import io.weir.limit.BucketMeter;
import io.weir.limit.LimitState;
import io.weir.limit.Meter;
import org.jspecify.annotations.Nullable;

/**
 * One part of the memory table, behind a lock of its own.
 *
 * <pre>
 *   slot:  │ low 64 │ high 64 │ time 48 · shape 16 │ used 64 │   32 bytes
 *           └ fingerprint ──┘  └ the cell ─────────────────┘
 * </pre>
 *
 * <p>Slots lie in one array, sorted by the low half of the fingerprint with gaps in between: a
 * key's home slot is in proportion to its fingerprint, and a key whose home is taken moves right.
 * Being sorted, the array grows in one pass from left to right. There is no wrap-around; some slots
 * past the last home take what spills over, and the last one is always free.
 *
 * <p>A search goes through the tags, one byte per slot, up to the first free one, and reads a slot
 * only if its tag fits. The tags of a million keys stay in the processor's cache while the slots do
 * not. Only one key in four is at home, which a processor cannot predict: with slots, it would
 * notice a wrong guess only when they have come from memory, and meanwhile fetch nothing that is of
 * use to the next decision.
 *
 * <p>All methods are called with the lock held.
 */
final class Segment extends SpinLock {
  private static final int WIDTH = 4;
  private static final int SPILL = 32;
  private static final int METER_BITS = 16;
  private static final int METER_MASK = 0xffff;

  /**
   * Sliding windows keep the current count in the lower half of the last word and the previous one
   * in the upper.
   */
  private static final int HALF = 32;

  private static final long LOW_HALF = 0xffffffffL;

  /** What a slot of a limit without a number lives on after its last use. */
  private static final long UNNUMBERED_LIFE = 32L * 24 * 3600 * 1_000_000;

  private long[] table;

  /** A {@link SlotHash#tag} for every slot that is taken, 0 for others. */
  private byte[] tags;

  private @Nullable SlotExtras extras;
  private int size;
  private int clockHand;
  private final int fullSlots;
  private final MeterIds meterIds;
  private final PackedTime packedTime;
  private final TableUsage usage;
  private final TableShares shares;

  /** This segment's place among the others, in which locks are taken. */
  final int order;

  /** Free for whoever holds the lock. */
  final LimitState state = new LimitState();

  /** For looking at other slots meanwhile. */
  private final LimitState scratch = new LimitState();

  /** The latest moment seen here; whoever holds the lock keeps it. */
  long latest = Long.MIN_VALUE;

  /**
   * An empty segment.
   *
   * @param order its place among the others, in which locks are taken
   * @param fullSlots the number of home slots to stop at while growing, if that is enough
   */
  Segment(
      int order,
      int fullSlots,
      MeterIds shapes,
      PackedTime eras,
      TableUsage usage,
      TableShares shares) {
    this.order = order;
    this.fullSlots = fullSlots;
    this.meterIds = shapes;
    this.packedTime = eras;
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

  /** Where a fingerprint goes that is not there. */
  private int place(long low) {
    int slot = SlotHash.home(low, homes(table));
    while (table[slot * WIDTH + 2] != 0 && Long.compareUnsigned(table[slot * WIDTH], low) <= 0) {
      slot++;
    }
    return slot;
  }

  /** Whether this slot, found before, is still right. */
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

  // ---- reading and writing cells

  /** Loads what a slot remembers. */
  void load(int slot, PoolBinding binding, LimitState into) {
    int at = slot * WIDTH;
    int shape = (int) table[at + 2] & METER_MASK;
    Meter meter = shape == binding.meterId() ? binding.meter() : meterIds.meter(shape);
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

  /** Keeps a cell in the slot it was loaded from. */
  void save(int slot, PoolBinding binding, LimitState cell) {
    Meter meter = binding.meter();
    int at = slot * WIDTH;
    table[at + 2] =
        packedTime.relative(cell.time, meter.onWallClock()) << METER_BITS | binding.meterId();
    table[at + 3] =
        meter.limit().algorithm() == Algorithm.SLIDING_WINDOW
            ? cell.used | cell.previous << HALF
            : cell.used;
    Object extra = SlotExtras.of(cell);
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
   * Leaves a bucket that a call took nothing from as it was, but for a clock that stepped back. One
   * written under other numbers lives on for as long as it weighs under these.
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

  /** Whether a slot was last written under just these numbers, and holds nothing else. */
  boolean isWrittenUnder(int slot, PoolBinding binding) {
    return ((int) table[slot * WIDTH + 2] & METER_MASK) == binding.meterId()
        && (extras == null || extras.get(slot) == null);
  }

  /**
   * Takes from a token bucket where it lies: what loading, deciding and saving would do, without a
   * cell in between. The slot was last written under the same numbers.
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

  /** Adds a fingerprint that is not there. */
  void insert(
      long high, long low, PoolBinding binding, LimitState cell, long monotonic, long wall) {
    save(makeSlot(high, low, monotonic, wall), binding, cell);
    shares.added(binding.share(), high);
  }

  private int makeSlot(long high, long low, long monotonic, long wall) {
    if (size + 1 > homes(table) - homes(table) / 8) {
      rebuild(monotonic, wall, grown(size + 1));
    }
    while (true) {
      int slot = place(low);
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
   * Home slots for this many keys, with room to grow by an eighth; not past what a full table
   * needs.
   */
  private int grown(int keys) {
    int needed = keys + keys / 7 + 1;
    int roomy = Math.max(8, needed + needed / 8);
    return needed <= fullSlots ? Math.min(roomy, Math.max(fullSlots, 8)) : roomy;
  }

  /**
   * Frees up to {@code steps} slots' worth of keys that are as if never used; true if any was
   * found.
   */
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

  private void remove(int slot) {
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
    int shape = (int) table[at + 2] & METER_MASK;
    if (MeterIds.isNone(shape)) {
      boolean onWall = shape == MeterIds.NONE_ON_WALL;
      long end = packedTime.absolute(table[at + 2] >>> METER_BITS, onWall) + UNNUMBERED_LIFE;
      return end <= (onWall ? wall : monotonic);
    }
    Meter meter = meterIds.meter(shape);
    load(at, meter, scratch);
    if (extras != null && extras.isKept(at / WIDTH, monotonic)) {
      return false;
    }
    return meter.idleAt(scratch) <= (meter.onWallClock() ? wall : monotonic);
  }

  /** Forgets idle keys if they are worth a rebuild, and gives memory back. */
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

  /** Moves everything that is not idle into an array of another size, from left to right. */
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

  /** Releases what idle keys have beside their slots. */
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
