package io.weir.http.identity;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A lossy cache of fixed size, shared by threads without locks. An entry may use either of two
 * neighbouring slots, and a newer entry evicts an older one. The caller compares keys: entries in
 * the same slot may have different keys.
 */
final class TwoWayTable<E> {
  static final int WAYS = 2;

  private final AtomicReferenceArray<@Nullable E> slots;

  /**
   * An empty table.
   *
   * @param size number of slots, a power of two
   */
  TwoWayTable(int size) {
    this.slots = new AtomicReferenceArray<>(size);
  }

  private int slot(int hash) {
    return hash & (slots.length() - 1);
  }

  /**
   * An entry that may belong to a key with this hash.
   *
   * @param way 0 for the newer one, 1 for the older
   */
  @Nullable E get(int hash, int way) {
    return slots.get(slot(hash) ^ way);
  }

  /**
   * Adds an entry.
   *
   * @param isUseful whether the entry in its slot is worth moving to the neighbouring slot
   */
  void add(int hash, E entry, Predicate<E> isUseful) {
    int slot = slot(hash);
    E before = slots.get(slot);
    if (before != null && isUseful.test(before)) {
      slots.set(slot ^ 1, before); // evicts the older of the two
    }
    slots.set(slot, entry);
  }
}
