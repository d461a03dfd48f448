package io.weir.bench.keyed;

/** A rate limiter under test: one bucket per key, and a yes or no for each request. */
interface Subject {
  /** Takes 1 from the bucket of a key if available. */
  boolean tryAcquire(String key);

  /**
   * As {@link #tryAcquire(String)}, in a run.
   *
   * @param request index of this request in the run, for subjects that use precomputed keys
   */
  default boolean tryAcquire(String key, int request) {
    return tryAcquire(key);
  }
}
