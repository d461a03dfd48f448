package io.weir.bench.keyed;

/** A rate limiter as the benchmarks see it: one bucket per key, and a question with a yes or no. */
interface Subject {
  /** Takes 1 from the bucket of a key if it is there. */
  boolean tryAcquire(String key);

  /**
   * As {@link #tryAcquire(String)}, in a run.
   *
   * @param request the place of this request in the run, for subjects that are handed something
   *     made from its key before
   */
  default boolean tryAcquire(String key, int request) {
    return tryAcquire(key);
  }
}
