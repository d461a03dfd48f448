package io.weir.near.lease;

import io.weir.Key;
import io.weir.store.Pool;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The leases of this instance by bucket: at most a given number, found without a lock.
 *
 * <p>An array with open addressing, at least half empty. Slots are only filled; to remove leases, a
 * new array is built without them. A key gets a lease at its second call if at most one other key
 * that shares its miss entries came in between, so that a flood of one-time keys allocates nothing.
 * When the table is full a key gets no lease, and each of its calls goes to the store.
 */
final class LeaseTable {
  private static final int SMALLEST = 64;
  private static final int MISSES = 4096;
  private static final int GOLDEN = 0x9e3779b9;

  private final int capacity;

  /**
   * The last two missed buckets of each pair of entries; threads may overwrite each other's. Two,
   * so that buckets that share a pair and alternate, such as those of two rules on one key, do not
   * block each other from a lease for ever.
   */
  private final long[] recentMisses = new long[MISSES];

  private volatile AtomicReferenceArray<@Nullable Lease> slots =
      new AtomicReferenceArray<>(SMALLEST);

  /** Held while the table is changed; a removal takes long if the table is large. */
  private final ReentrantLock lock = new ReentrantLock();

  private final AtomicInteger size = new AtomicInteger();

  LeaseTable(int capacity) {
    this.capacity = capacity;
  }

  /** The lease on a bucket, or null. */
  @Nullable Lease find(Pool pool, Key key) {
    AtomicReferenceArray<@Nullable Lease> all = slots;
    int mask = all.length() - 1;
    for (int at = home(pool, key) & mask; ; at = (at + 1) & mask) {
      Lease here = all.getAcquire(at);
      if (here == null || (here.low == key.low() && here.high == key.high() && here.pool == pool)) {
        return here;
      }
    }
  }

  private static int home(Pool pool, Key key) {
    return Long.hashCode(key.low()) ^ (System.identityHashCode(pool) * GOLDEN);
  }

  /** The lease on a bucket; created if the bucket has missed recently. */
  @Nullable Lease findOrNote(Pool pool, Key key, long now) {
    Lease known = find(pool, key);
    if (known != null) {
      return known;
    }
    long fingerprint = pool.high(key);
    int newest = (int) pool.low(key) & (MISSES - 2);
    int older = newest + 1;
    if (recentMisses[newest] == fingerprint || recentMisses[older] == fingerprint) {
      return add(pool, key, now);
    }
    recentMisses[older] = recentMisses[newest];
    recentMisses[newest] = fingerprint;
    return null;
  }

  /**
   * Adds a lease without waiting: while another thread changes the table, the call goes to the
   * store.
   */
  private @Nullable Lease add(Pool pool, Key key, long now) {
    if (!lock.tryLock()) {
      return find(pool, key);
    }
    try {
      return added(pool, key, now);
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Lease added(Pool pool, Key key, long now) {
    Lease known = find(pool, key);
    if (known != null || isFull()) {
      return known;
    }
    if (2 * (size.get() + 1) > slots.length()) {
      slots = filled(2 * slots.length(), all());
    }
    Lease added = new Lease(pool, key, now);
    put(slots, added);
    size.incrementAndGet();
    return added;
  }

  private static AtomicReferenceArray<@Nullable Lease> filled(int length, List<Lease> leases) {
    AtomicReferenceArray<@Nullable Lease> array = new AtomicReferenceArray<>(length);
    leases.forEach(lease -> put(array, lease));
    return array;
  }

  private static void put(AtomicReferenceArray<@Nullable Lease> array, Lease lease) {
    int mask = array.length() - 1;
    int at = home(lease.pool, lease.key) & mask;
    while (array.getPlain(at) != null) {
      at = (at + 1) & mask;
    }
    array.setRelease(at, lease);
  }

  /** A snapshot of all leases. */
  List<Lease> all() {
    AtomicReferenceArray<@Nullable Lease> array = slots;
    List<Lease> all = new ArrayList<>();
    for (int i = 0; i < array.length(); i++) {
      Lease lease = array.getAcquire(i);
      if (lease != null) {
        all.add(lease);
      }
    }
    return all;
  }

  /** Removes and returns the leases that match. */
  List<Lease> removeIf(Predicate<Lease> unwanted) {
    lock.lock();
    try {
      return removed(unwanted);
    } finally {
      lock.unlock();
    }
  }

  private List<Lease> removed(Predicate<Lease> unwanted) {
    List<Lease> kept = new ArrayList<>();
    List<Lease> removed = new ArrayList<>();
    for (Lease lease : all()) {
      (unwanted.test(lease) ? removed : kept).add(lease);
    }
    int length = SMALLEST;
    while (length < 4 * kept.size()) {
      length *= 2;
    }
    slots = filled(length, kept);
    size.set(kept.size());
    return removed;
  }

  int size() {
    return size.get();
  }

  /** Whether new keys get no lease for lack of room. */
  boolean isFull() {
    return size.get() >= capacity;
  }
}
