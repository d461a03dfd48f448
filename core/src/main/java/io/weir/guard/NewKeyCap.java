package io.weir.guard;

import io.weir.Call;
import io.weir.Key;
import io.weir.base.Fingerprint;
import io.weir.store.Draw;
import io.weir.store.NewKeyPolicy;
import io.weir.store.Pool;
import io.weir.time.TimeSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Caps the new keys that one client address can create in a store, so that no client can fill it
 * with invented keys.
 *
 * <pre>
 *   key ─► seen within the last minute or two? ── yes ─► its own bucket
 *             │ no
 *             ▼
 *          new keys of its address and rule + 1 ── within the cap ─► its own bucket
 *             │ above the cap
 *             ▼
 *          one of {@value #SHARED} buckets that further keys of the address share
 * </pre>
 *
 * <p>In front of the memory store only keys without a bucket are checked, on the first call that
 * would create one. In front of a remote store all keys are checked, as its contents are not known
 * here.
 *
 * <p>"New" means new to this instance, not to the store. Once known, a key is known for all
 * addresses. Memory is bounded to a few megabytes: known keys are in a Bloom filter, which may
 * occasionally take a new key for a known one, and the counts are in a sketch, which may be
 * slightly too high. Counts restart after a minute, or after a million new keys.
 */
public final class NewKeyCap implements NewKeyPolicy {
  /** The default cap: new keys per address, rule and minute. */
  public static final int DEFAULT_MOST = 10_000;

  /** The number of buckets that keys above the cap share, per address and limit. */
  static final int SHARED = 64;

  private static final Logger LOG = LoggerFactory.getLogger(NewKeyCap.class);
  private static final long SPAN_MICROS = 60_000_000;
  private static final int RECENT = 1 << 12;
  private static final long GOLDEN = 0x9e3779b97f4a7c15L;

  private final int most;
  private final TimeSource time;
  private final LongAdder cappedDraws = new LongAdder();

  /** Hashes of recently used keys: most calls are for one of these. */
  private final long[] recent = new long[RECENT];

  /** Null until the first address is seen, as windows take megabytes. */
  private volatile @Nullable KeyWindow present;

  private volatile @Nullable KeyWindow past;

  /**
   * Creates a cap without known keys.
   *
   * @param most the new keys that an address may create per rule and minute
   */
  public NewKeyCap(int most, TimeSource time) {
    this.most = most;
    this.time = time;
  }

  /** The number of draws made from shared buckets because their address was above its cap. */
  public long cappedDraws() {
    return cappedDraws.sum();
  }

  /**
   * The draws of a call from an address. Draws on keys above the cap are redirected to the
   * address's shared buckets.
   */
  public List<Draw> capped(String address, List<Draw> draws) {
    return capped(address, draws, draw -> false);
  }

  /** As {@link #capped(String, List)}, if some draws are known to have a bucket already. */
  public List<Draw> capped(String address, List<Draw> draws, Predicate<Draw> known) {
    List<Draw> capped = draws;
    for (int i = 0; i < draws.size(); i++) {
      Draw draw = draws.get(i);
      Draw within = known.test(draw) ? draw : capped(address, draw);
      if (within != draw) {
        if (capped == draws) {
          capped = new ArrayList<>(draws);
        }
        capped.set(i, within);
      }
    }
    return capped;
  }

  /** Caps a draw on a key that the memory store does not have. */
  @Override
  public Draw capped(Draw draw) {
    Call call = draw.call();
    String address = call == null ? null : call.attribute("ip");
    return address == null ? draw : capped(address, draw);
  }

  private Draw capped(String address, Draw draw) {
    if (isAdmitted(address, draw)) {
      return draw;
    }
    cappedDraws.increment();
    present().logCapped(draw.pool().rule(), most);
    return draw.withKey(shared(address, draw.key()));
  }

  private boolean isAdmitted(String address, Draw draw) {
    long id = idOf(draw.pool(), draw.key());
    int index = (int) (id >>> 32) & (RECENT - 1);
    if (recent[index] == id) {
      return true;
    }
    boolean welcome = isKnown(id) || admit(address, draw, id);
    if (welcome && draw.intent() != Draw.Intent.LOOK) {
      recent[index] = id;
    }
    return welcome;
  }

  /**
   * Whether a key is known. A key from the previous window is carried over, so that keys in use
   * stay known.
   */
  private boolean isKnown(long id) {
    KeyWindow now = present();
    if (now.keys.contains(id)) {
      return true;
    }
    KeyWindow before = past;
    if (before != null && before.keys.contains(id)) {
      now.keys.add(id);
      return true;
    }
    return false;
  }

  private boolean admit(String address, Draw draw, long id) {
    KeyWindow now = current();
    long bringer = mix(Fingerprint.low(address) + draw.pool().rule().hashCode() * GOLDEN);
    if (now.count(bringer) >= most) {
      return false;
    }
    if (draw.intent() != Draw.Intent.LOOK) {
      now.add(bringer);
      now.keys.add(id);
    }
    return true;
  }

  private KeyWindow present() {
    KeyWindow now = present;
    return now == null ? begin() : now;
  }

  private synchronized KeyWindow begin() {
    KeyWindow now = present;
    if (now == null) {
      now = new KeyWindow(time.micros());
      present = now;
    }
    return now;
  }

  private KeyWindow current() {
    KeyWindow now = present();
    long micros = time.micros();
    if (micros - now.startedMicros < SPAN_MICROS && !now.keys.isFull()) {
      return now;
    }
    synchronized (this) {
      if (present == now) {
        past = now;
        present = new KeyWindow(micros);
        Arrays.fill(recent, 0);
      }
      return present;
    }
  }

  /**
   * A shared key. It has two parts more than the key it replaces, so that it differs from every
   * regular key.
   */
  private static Key shared(String address, Key key) {
    String[] values = new String[key.parts().size() + 2];
    Arrays.fill(values, "");
    values[0] = address;
    values[values.length - 1] = Long.toString(Math.floorMod(key.fixedHash(""), (long) SHARED));
    return Key.of(values);
  }

  private static long idOf(Pool pool, Key key) {
    return mix(key.low() + pool.rule().hashCode() * GOLDEN) | 1;
  }

  private static long mix(long bits) {
    long mixed = (bits ^ (bits >>> 31)) * GOLDEN;
    return mixed ^ (mixed >>> 29);
  }

  /** The keys seen within one window of time, and the number of new keys per address and rule. */
  private static final class KeyWindow {
    private static final int ROWS = 2;
    private static final int CELLS = 1 << 16;

    final long startedMicros;
    final KeyBloomFilter keys = new KeyBloomFilter();
    private final AtomicIntegerArray counts = new AtomicIntegerArray(ROWS * CELLS);
    private final AtomicBoolean logged = new AtomicBoolean();

    KeyWindow(long begun) {
      this.startedMicros = begun;
    }

    /**
     * Logs once per window that an address is above its cap. The address itself is not logged, for
     * privacy.
     */
    void logCapped(String rule, int most) {
      if (!logged.get() && logged.compareAndSet(false, true)) {
        LOG.warn(
            "an address used more than {} new keys of rule {} within a minute: its further keys"
                + " share {} buckets; if the address is your proxy, add it to client_ip.trusted;"
                + " if so many keys are expected, raise new_keys_per_address of the store",
            most,
            rule,
            SHARED);
      }
    }

    int count(long bringer) {
      return Math.min(counts.get(first(bringer)), counts.get(second(bringer)));
    }

    void add(long bringer) {
      counts.incrementAndGet(first(bringer));
      counts.incrementAndGet(second(bringer));
    }

    private static int first(long bringer) {
      return (int) bringer & (CELLS - 1);
    }

    private static int second(long bringer) {
      return CELLS + ((int) (bringer >>> 32) & (CELLS - 1));
    }
  }

  /** A Bloom filter for a million keys. When full, its false-positive rate is about 1 in 40. */
  private static final class KeyBloomFilter {
    private static final int BITS = 1 << 23;
    private static final int HASHES = 4;
    private static final int MAX_ENTRIES = 1 << 20;

    private final AtomicLongArray words = new AtomicLongArray(BITS / Long.SIZE);
    private final LongAdder size = new LongAdder();

    boolean isFull() {
      return size.sum() >= MAX_ENTRIES;
    }

    boolean contains(long id) {
      for (int i = 0; i < HASHES; i++) {
        int bit = bit(id, i);
        if ((words.getPlain(bit >>> 6) & 1L << bit) == 0) {
          return false;
        }
      }
      return true;
    }

    void add(long id) {
      size.increment();
      for (int i = 0; i < HASHES; i++) {
        int bit = bit(id, i);
        words.getAndAccumulate(bit >>> 6, 1L << bit, (a, b) -> a | b);
      }
    }

    private static int bit(long id, int i) {
      return (int) (id + i * (id >>> 32 | 1)) & (BITS - 1);
    }
  }
}
