package io.weir.store.memory;

import io.weir.limit.AdmissionLog;
import io.weir.limit.LimitState;
import io.weir.limit.ParallelWindow;
import io.weir.limit.Permits;
import org.jspecify.annotations.Nullable;

/**
 * What does not fit into the slots of a {@link Segment}, one object per slot: logs, permits, and
 * what calls under other numbers have left.
 */
final class SlotExtras {
  private final @Nullable Object[] all;
  private final TableUsage usage;

  /** None for so many slots. */
  SlotExtras(int slots, TableUsage usage) {
    this(new Object[slots], usage);
    usage.addBytes(4L * slots);
  }

  private SlotExtras(@Nullable Object[] all, TableUsage usage) {
    this.all = all;
    this.usage = usage;
  }

  /** None for another number of slots, whose bytes the caller counts. */
  SlotExtras empty(int slots) {
    return new SlotExtras(new Object[slots], usage);
  }

  /** What a cell needs beside its slot, or null. */
  static @Nullable Object of(LimitState cell) {
    if (cell.log != null) {
      return cell.log;
    }
    if (cell.permits != null) {
      return cell.permits;
    }
    return cell.excess > 0 ? new ExcessDeficit(cell.excess, Long.MIN_VALUE) : cell.other;
  }

  void load(int slot, LimitState into) {
    Object extra = all[slot];
    if (extra instanceof AdmissionLog log) {
      into.log = log;
    } else if (extra instanceof Permits permits) {
      into.permits = permits;
    } else if (extra instanceof ParallelWindow window) {
      into.other = window;
    } else if (extra instanceof ExcessDeficit beyond) {
      into.excess = beyond.units();
    }
  }

  @Nullable Object get(int slot) {
    return all[slot];
  }

  void set(int slot, @Nullable Object extra) {
    all[slot] = extra;
  }

  void clear(int slot) {
    all[slot] = null;
  }

  void keep(int slot, Object extra) {
    all[slot] = extra;
    if (extra instanceof AdmissionLog log) {
      usage.addBytes(log.growth());
    } else if (extra instanceof Permits permits) {
      usage.addBytes(permits.growth());
    }
  }

  /** Keeps a bucket from being idle until then, whatever numbers it was last written under. */
  void keepUntil(int slot, long until) {
    ExcessDeficit known = all[slot] instanceof ExcessDeficit beyond ? beyond : ExcessDeficit.NONE;
    all[slot] = new ExcessDeficit(known.units(), Math.max(known.until(), until));
  }

  boolean isKept(int slot, long monotonic) {
    return all[slot] instanceof ExcessDeficit beyond && beyond.until() > monotonic;
  }

  void move(int from, int to, int count) {
    System.arraycopy(all, from, all, to, count);
  }

  /** A slot is given up; what it had is no longer counted. */
  static void free(@Nullable SlotExtras extras, int slot) {
    if (extras == null) {
      return;
    }
    if (extras.all[slot] instanceof AdmissionLog log) {
      extras.usage.addBytes(-log.bytes());
    } else if (extras.all[slot] instanceof Permits permits) {
      extras.usage.addBytes(-permits.bytes());
    }
  }
}
