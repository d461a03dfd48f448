package io.weir.guard;

import io.weir.Call;
import io.weir.Fingerprint;
import io.weir.Key;
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
 * Caps the keys that one address can bring into a store, so that nobody fills it with invented
 * ones.
 *
 * <pre>
 *   key ─► met within the last minute or two? ── yes ─► its own bucket
 *             │ no
 *             ▼
 *          one more for its address and rule ── within the cap ─► its own bucket
 *             │ beyond
 *             ▼
 *          one of {@value #SHARED} buckets that the address's further keys share
 * </pre>
 *
 * <p>In a memory store only keys without a bucket are looked at, when the first call comes that
 * would make one. Before a store elsewhere all are, as nobody here knows what it holds.
 *
 * <p>A key is new to this instance, not to the store, and known whoever asks for it next. All of it
 * is a few megabytes, whatever comes: keys are remembered in a filter that may take a new key for a
 * known one, now and then, and counts are those of a sketch that may be too high, by a few. After a
 * minute, or a million new keys, counting begins anew.
 */
public final class NewKeyCap implements NewKeyPolicy {
  /** New keys per address, rule and minute, unless said otherwise. */
  public static final int DEFAULT_MOST = 10_000;

  /** Buckets that the keys beyond the cap share, per address and limit. */
  static final int SHARED = 64;

  private static final Logger LOG = LoggerFactory.getLogger(NewKeyCap.class);
  private static final long SPAN_MICROS = 60_000_000;
  private static final int RECENT = 1 << 12;
  private static final long GOLDEN = 0x9e3779b97f4a7c15L;

  private final int most;
  private final TimeSource time;
  private final LongAdder cappedDraws = new LongAdder();

  /** Keys that were met lately, by their hash: most calls are about one of these. */
  private final long[] recent = new long[RECENT];

  /** Null until the first address is met: these are what takes megabytes. */
  private volatile @Nullable KeyWindow present;

  private volatile @Nullable KeyWindow past;

  /**
   * Nobody is known yet.
   *
   * @param most new keys that an address may bring to a rule in a minute
   */
  public NewKeyCap(int most, TimeSource time) {
    this.most = most;
    this.time = time;
  }

  /** How many draws were made from shared buckets because their address was beyond its cap. */
  public long cappedDraws() {
    return cappedDraws.sum();
  }

  /** The draws of a call from an address, those beyond its cap from buckets that it shares. */
  public List<Draw> capped(String address, List<Draw> draws) {
    return capped(address, draws, draw -> false);
  }

  /**
   * As {@link #capped(String, List)}, for draws of which some are known to have a bucket already.
   */
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

  /** A draw from a memory table that does not know its key. */
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
    int place = (int) (id >>> 32) & (RECENT - 1);
    if (recent[place] == id) {
      return true;
    }
    boolean welcome = isKnown(id) || admit(address, draw, id);
    if (welcome && draw.intent() != Draw.Intent.LOOK) {
      recent[place] = id;
    }
    return welcome;
  }

  /** A key of the span before is taken over, so that those in use stay known. */
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

  /** Two parts longer than the key it stands for, so that no real key is like it. */
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

  /** What was met within a span of time, and how many new keys each address brought. */
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
     * Says once that an address is beyond its cap; not which, as addresses are nobody's business.
     */
    void logCapped(String rule, int most) {
      if (!logged.get() && logged.compareAndSet(false, true)) {
        LOG.warn(
            "an address brought more than {} new keys to rule {} within a minute: its further ones"
                + " share {} buckets; if it is a proxy of yours, name it in client_ip.trusted, and"
                + " if so many keys are right, raise new_keys_per_address of the store",
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

  /** A Bloom filter for a million keys, of which one in forty strangers seems known when full. */
  private static final class KeyBloomFilter {
    private static final int BITS = 1 << 23;
    private static final int HASHES = 4;
    private static final int MOST = 1 << 20;

    private final AtomicLongArray words = new AtomicLongArray(BITS / Long.SIZE);
    private final LongAdder size = new LongAdder();

    boolean isFull() {
      return size.sum() >= MOST;
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
