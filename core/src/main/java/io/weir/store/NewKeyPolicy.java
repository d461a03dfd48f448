package io.weir.store;

/** Decides whether a key that has no bucket in a memory store yet may have one of its own. */
public interface NewKeyPolicy {
  /**
   * Returns the same draw, or one on the key that is shared by all keys beyond the cap. Called
   * without a lock, and only for keys without a bucket.
   */
  Draw capped(Draw draw);
}
