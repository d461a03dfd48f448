package io.weir.store;

/** Decides whether a key that has no bucket in a memory store yet may have one of its own. */
public interface NewKeyPolicy {
  /**
   * The same draw, or the same about a key that stands for all keys beyond the cap. Called without
   * a lock, and only for keys without a bucket.
   */
  Draw capped(Draw draw);
}
