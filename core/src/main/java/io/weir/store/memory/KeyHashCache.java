package io.weir.store.memory;

import io.weir.base.KeyEncoding;
import org.jspecify.annotations.Nullable;

/**
 * Caches the hashes of frequent keys, so that a hot key is not hashed at each call.
 *
 * <p>A small table indexed by the text's own hash code. Colliding keys gain an attacker nothing: a
 * key that is not cached is hashed as usual. A key takes an entry when it misses twice in a row, so
 * a flood of keys allocates nothing and displaces a hot key only briefly.
 */
public final class KeyHashCache {
  /** Few, so that they stay in the L1 cache; with more, hashing is as fast as a lookup. */
  private static final int ENTRIES = 16;

  private static final int MAX_KEY_LENGTH = 128;

  /** First misses are recorded in one µs of 16. */
  private static final long NOTE_MASK = 15;

  /** No text; a text with this hash code is not cached. */
  private static final int NONE = 0;

  /**
   * A key and its hashes; immutable, so that threads may read it without a lock.
   *
   * @param fixed the fixed hash of name and key; 0 where no window needs it
   */
  public record HashedKey(String text, long high, long low, long fixed) {}

  private final String name;
  private final boolean fixedToo;
  private final @Nullable HashedKey[] entries = new HashedKey[ENTRIES];

  /** The hash code of each entry's text, to reject most other keys without reading the text. */
  private final int[] codes = new int[ENTRIES];

  /** The hash code of the text that last missed each entry, or {@link #NONE}. */
  private final int[] missed = new int[ENTRIES];

  /**
   * An empty cache.
   *
   * @param fixedToo whether the fixed hash of {@code name} and key is needed as well
   */
  public KeyHashCache(String name, boolean fixedToo) {
    this.name = name;
    this.fixedToo = fixedToo;
  }

  /** The hashes of a cached key, or null. */
  public @Nullable HashedKey find(String text) {
    int code = text.hashCode();
    int index = indexOf(code);
    if (codes[index] != code) {
      return null;
    }
    HashedKey here = entries[index];
    return here != null && here.text.equals(text) ? here : null;
  }

  /** The fixed hash of a key, if needed; else 0. */
  public long fixed(String text) {
    return fixedToo ? KeyEncoding.hash(name, text) : 0;
  }

  /**
   * Records a miss. The first miss of an entry is recorded only in one µs of 16; otherwise threads
   * with many keys would write to the same few words all the time and wait for each other.
   *
   * @param now the time in µs
   */
  public void note(String text, long high, long low, long fixed, long now) {
    int code = text.hashCode();
    int index = indexOf(code);
    int before = missed[index];
    if (before == NONE) {
      if ((now & NOTE_MASK) == 0) {
        missed[index] = code;
      }
    } else if (before != code) {
      missed[index] = NONE;
    } else if (text.length() <= MAX_KEY_LENGTH) {
      entries[index] = new HashedKey(text, high, low, fixed);
      codes[index] = code;
      missed[index] = NONE;
    }
  }

  private static int indexOf(int code) {
    return (code ^ (code >>> 16)) & (ENTRIES - 1);
  }
}
