package io.weir.http.identity;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A lossy cache of fixed size, shared by threads without locks. An entry may use either of two
 * neighbouring places, and a newer entry evicts an older one. The caller compares what it finds:
 * entries of the same place may be of different keys.
 */
final class TwoWayTable<E> {
  static final int WAYS = 2;

  private final AtomicReferenceArray<@Nullable E> places;

  /**
   * An empty table.
   *
   * @param size how many entries it has room for, a power of two
   */
  TwoWayTable(int size) {
    this.places = new AtomicReferenceArray<>(size);
  }

  private int place(int hash) {
    return hash & (places.length() - 1);
  }

  /**
   * An entry that may be that of a key with this hash.
   *
   * @param way 0 for the newer one, 1 for the older
   */
  @Nullable E get(int hash, int way) {
    return places.get(place(hash) ^ way);
  }

  /**
   * Adds an entry.
   *
   * @param isUseful whether the entry in its place is worth keeping in the place beside it
   */
  void add(int hash, E entry, Predicate<E> isUseful) {
    int place = place(hash);
    E before = places.get(place);
    if (before != null && isUseful.test(before)) {
      places.set(place ^ 1, before); // the older of the two goes
    }
    places.set(place, entry);
  }
}
