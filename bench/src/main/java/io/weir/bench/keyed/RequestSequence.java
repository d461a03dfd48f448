package io.weir.bench.keyed;

import io.weir.Key;
import io.weir.bench.run.KeySequence;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * The key of every request of a run, in order.
 *
 * @param scattered whether strings repeat and are spread over the heap; otherwise each request has
 *     a separate string, one after the other in memory
 */
record RequestSequence(String[] texts, boolean scattered) {
  static RequestSequence of(String... texts) {
    return new RequestSequence(texts, false);
  }

  /** The same requests with {@link Key}s, which are laid out in memory as the strings are. */
  Key[] hashed() {
    Key[] keys = new Key[texts.length];
    if (scattered) {
      Map<String, Key> known = new IdentityHashMap<>();
      for (int i : KeySequence.shuffled(texts.length)) {
        keys[i] = known.computeIfAbsent(texts[i], Key::of);
      }
    } else {
      for (int i = 0; i < texts.length; i++) {
        keys[i] = Key.of(texts[i]);
      }
    }
    return keys;
  }
}
