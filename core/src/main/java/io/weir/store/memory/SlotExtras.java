package io.weir.store.memory;

import io.weir.limit.AdmissionLog;
import io.weir.limit.LimitState;
import io.weir.limit.ParallelWindow;
import io.weir.limit.Permits;
import org.jspecify.annotations.Nullable;

/**
 * State that does not fit into the slots of a {@link Segment}, one object per slot: logs, permits,
 * and the traces of calls under other numbers.
 */
final class SlotExtras {
  private final @Nullable Object[] all;
  private final TableUsage usage;

  /** No extras, for this many slots. */
  SlotExtras(int slots, TableUsage usage) {
    this(new Object[slots], usage);
    usage.addBytes(4L * slots);
  }

  private SlotExtras(@Nullable Object[] all, TableUsage usage) {
    this.all = all;
    this.usage = usage;
  }

  /** No extras, for another number of slots; the caller accounts for their bytes. */
  SlotExtras empty(int slots) {
    return new SlotExtras(new Object[slots], usage);
  }

  /** The part of a state that does not fit into a slot, or null. */
  static @Nullable Object of(LimitState state) {
    if (state.log != null) {
      return state.log;
    }
    if (state.permits != null) {
      return state.permits;
    }
    return state.excess > 0 ? new ExcessDeficit(state.excess, Long.MIN_VALUE) : state.other;
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

  /**
   * Prevents a bucket from being idle until then, regardless of the numbers it was last written
   * under.
   */
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

  /** Releases a slot: its extra state is no longer counted. */
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
