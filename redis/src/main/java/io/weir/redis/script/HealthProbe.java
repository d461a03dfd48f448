package io.weir.redis.script;

import io.weir.Key;
import io.weir.Limit;
import io.weir.store.Pool;
import java.nio.charset.StandardCharsets;
import java.util.function.IntPredicate;

/**
 * The script call by which a node is asked whether it could serve calls: it does all that the
 * scripts of calls do, to a key of its own. A look would do no harm to a node that has no memory
 * left or may not write, and so would say nothing; and a node that refuses one command which calls
 * need would be taken back, and lost again, every other second.
 */
public final class HealthProbe {
  public static final Script SCRIPT = Script.CHECK;

  /** No rule can have this id. */
  private static final String NAME = "/check";

  private static final Pool POOL =
      new Pool(NAME, NAME, "1", Limit.perSecond(1_000_000), false).withDimension(NAME);
  private static final KeyNames NAMES = new KeyNames(new byte[0]);
  private static final int MOST_TRIES = 1 << 20;

  private HealthProbe() {}

  /** The keys of the call, wherever they live. */
  public static byte[][] keys() {
    return keys(any -> true, key -> 0);
  }

  /** A way to tell where a key lives. */
  public interface Slots {
    int of(byte[] key);
  }

  /** The keys of the call, living where they should. */
  public static byte[][] keys(IntPredicate isThere, Slots slots) {
    for (int i = 0; i < MOST_TRIES; i++) {
      byte[] key = NAMES.bucket(POOL, Key.of(Integer.toString(i)));
      if (isThere.test(slots.of(key))) {
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

  /** What follows the time: nothing. */
  public static byte[] args() {
    return new byte[0];
  }
}
