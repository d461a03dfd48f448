package io.weir.redis.call;

import io.weir.redis.script.KeyNames;
import io.weir.redis.script.Script;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/** Sorts calls so that those to one key are adjacent, as {@link Script#BUCKET} requires. */
final class KeyRuns {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private KeyRuns() {}

  /**
   * Reorders calls of one key each so that equal keys are adjacent; calls to the same key keep
   * their order. If all keys differ, nothing moves, and eight bytes of each key are enough to see
   * that.
   */
  static void ofEqualKeys(List<PendingCall> calls) {
    int count = calls.size();
    long[] prefixes = new long[count];
    for (int i = 0; i < count; i++) {
      byte[] key = calls.get(i).keys()[0];
      long prefix = prefix(key);
      int like = i - 1;
      while (like >= 0
          && !(prefixes[like] == prefix && Arrays.equals(calls.get(like).keys()[0], key))) {
        like--;
      }
      int target = like < 0 ? i : like + 1;
      if (target < i) {
        calls.add(target, calls.remove(i));
        System.arraycopy(prefixes, target, prefixes, target + 1, i - target);
      }
      prefixes[target] = prefix;
    }
  }

  /** Eight bytes in which keys differ: the beginning of the hash in the key's braces. */
  private static long prefix(byte[] key) {
    int at = KeyNames.TAG_AT;
    return key.length < at + Long.BYTES ? 0 : (long) LONG.get(key, at);
  }
}
