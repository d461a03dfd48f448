package io.weir.redis.call;

import io.weir.redis.script.KeyNames;
import io.weir.redis.script.Script;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/** Brings asks about one key together, as {@link Script#BUCKET} wants them. */
final class KeyRuns {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private KeyRuns() {}

  /**
   * Puts asks of one key each in such an order that equal keys come in a row; those who ask for the
   * same key stay in order. Nothing moves where all keys differ, which is found out by comparing
   * eight bytes of each.
   */
  static void ofEqualKeys(List<PendingCall> asks) {
    int count = asks.size();
    long[] marks = new long[count];
    for (int i = 0; i < count; i++) {
      byte[] key = asks.get(i).keys()[0];
      long mark = mark(key);
      int like = i - 1;
      while (like >= 0 && !(marks[like] == mark && Arrays.equals(asks.get(like).keys()[0], key))) {
        like--;
      }
      int place = like < 0 ? i : like + 1;
      if (place < i) {
        asks.add(place, asks.remove(i));
        System.arraycopy(marks, place, marks, place + 1, i - place);
      }
      marks[place] = mark;
    }
  }

  /** Eight bytes in which keys differ: they lie in the hash that a key has in its braces. */
  private static long mark(byte[] key) {
    int at = KeyNames.TAG_AT;
    return key.length < at + Long.BYTES ? 0 : (long) LONG.get(key, at);
  }
}
