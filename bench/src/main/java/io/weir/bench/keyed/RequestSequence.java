package io.weir.bench.keyed;

import io.weir.Key;
import io.weir.bench.run.KeySequence;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * The key of every request of a run, in the order in which they come.
 *
 * @param scattered whether strings come again and lie anywhere on the heap; otherwise each request
 *     has a string of its own, one after the other in memory
 */
record RequestSequence(String[] texts, boolean scattered) {
  static RequestSequence of(String... texts) {
    return new RequestSequence(texts, false);
  }

  /** The same requests with {@link Key}s, which lie in memory as the strings do. */
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
