package io.weir.store.memory;

import io.weir.KeyEncoding;
import org.jspecify.annotations.Nullable;

/**
 * The hashes of keys that are asked for again and again, so that a hot key is not hashed each time.
 *
 * <p>A small table by the text's own hash code. Someone who makes texts collide in it gains
 * nothing: a key that is not here is hashed as ever. A key takes a place when it misses it twice in
 * a row, so a flood of keys makes no objects, and drives out a hot key only for a moment.
 */
public final class KeyHashCache {
  /** Few, so that they stay in the nearest cache; past those, hashing is as fast as looking. */
  private static final int PLACES = 16;

  private static final int LONGEST = 128;

  /** One microsecond in 16 is for first notes. */
  private static final long NOTE_MASK = 15;

  /** No text; one with this hash code takes no place. */
  private static final int NONE = 0;

  /**
   * A key and its hashes; immutable, so that threads may find it without a lock.
   *
   * @param fixed the fixed hash of name and key; 0 where no window needs it
   */
  public record HashedKey(String text, long high, long low, long fixed) {}

  private final String name;
  private final boolean fixedToo;
  private final @Nullable HashedKey[] places = new HashedKey[PLACES];

  /** The hash code of each place's text, to tell most strangers without touching the text. */
  private final int[] codes = new int[PLACES];

  /** The hash code of the text that missed each place just now, or {@link #NONE}. */
  private final int[] missed = new int[PLACES];

  /**
   * An empty table.
   *
   * @param fixedToo whether the fixed hash of {@code name} and key is wanted as well
   */
  public KeyHashCache(String name, boolean fixedToo) {
    this.name = name;
    this.fixedToo = fixedToo;
  }

  /** The hashes of a key that was asked for lately; null for any other. */
  public @Nullable HashedKey find(String text) {
    int code = text.hashCode();
    int place = place(code);
    if (codes[place] != code) {
      return null;
    }
    HashedKey here = places[place];
    return here != null && here.text.equals(text) ? here : null;
  }

  /** The fixed hash of a key, if it is wanted. */
  public long fixed(String text) {
    return fixedToo ? KeyEncoding.hash(name, text) : 0;
  }

  /**
   * Notes a key that was not found. The first miss of a place is noted only now and then, or
   * threads with many keys would write to the same few words all the time, and wait for each other.
   *
   * @param now the time in µs
   */
  public void note(String text, long high, long low, long fixed, long now) {
    int code = text.hashCode();
    int place = place(code);
    int before = missed[place];
    if (before == NONE) {
      if ((now & NOTE_MASK) == 0) {
        missed[place] = code;
      }
    } else if (before != code) {
      missed[place] = NONE;
    } else if (text.length() <= LONGEST) {
      places[place] = new HashedKey(text, high, low, fixed);
      codes[place] = code;
      missed[place] = NONE;
    }
  }

  private static int place(int code) {
    return (code ^ (code >>> 16)) & (PLACES - 1);
  }
}
