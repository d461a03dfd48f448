package io.weir.redis.script;

import io.weir.Key;
import io.weir.Limit;
import io.weir.store.Pool;
import java.nio.charset.StandardCharsets;
import java.util.function.IntPredicate;

/**
 * The script call that tests whether a node could serve calls. It does everything that the scripts
 * of calls do, on its own key. A read would succeed on a node that is out of memory or read-only,
 * and so would prove nothing. A node that refuses one command which calls need would be taken back,
 * and lost again, every two seconds.
 */
public final class HealthProbe {
  public static final Script SCRIPT = Script.PROBE;

  /** No rule can have this id. */
  private static final String NAME = "/check";

  private static final Pool POOL =
      new Pool(NAME, NAME, "1", Limit.perSecond(1_000_000), false).withDimension(NAME);
  private static final KeyNames NAMES = new KeyNames(new byte[0]);
  private static final int MAX_TRIES = 1 << 20;

  private HealthProbe() {}

  /** The keys of the call, in any slot. */
  public static byte[][] keys() {
    return keys(any -> true, key -> 0);
  }

  /** Maps a key to its slot. */
  public interface Slots {
    int of(byte[] key);
  }

  /** The keys of the call, in a slot that passes the test. */
  public static byte[][] keys(IntPredicate isServed, Slots slots) {
    for (int i = 0; i < MAX_TRIES; i++) {
      byte[] key = NAMES.bucket(POOL, Key.of(Integer.toString(i)));
      if (isServed.test(slots.of(key))) {
        return new byte[][] {key};
      }
    }
    return keys();
  }

  /** The key of the fleet's {@code ClockStep}, in the slot of a key of the call. */
  public static byte[] clockKey(byte[] key) {
    String name = new String(key, StandardCharsets.US_ASCII);
    String tag = name.substring(0, name.indexOf('}') + 1);
    return (tag + ":/clock").getBytes(StandardCharsets.US_ASCII);
  }

  /** The argument after the time: empty. */
  public static byte[] args() {
    return new byte[0];
  }
}
