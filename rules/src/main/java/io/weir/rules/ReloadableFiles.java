package io.weir.rules;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * A file, or a folder of files, that is read at start and watched afterwards.
 *
 * @param <T> the content of the files
 */
public interface ReloadableFiles<T> extends AutoCloseable {
  /** Default poll interval; short enough that a change is in force within a second. */
  Duration POLL_INTERVAL = Duration.ofMillis(500);

  /**
   * Reads the files as they are now. If they are invalid and a last valid copy was saved, the value
   * comes from that copy, and the problems are those of the current files.
   */
  LoadResult<T> load();

  /**
   * Calls a listener, on a dedicated thread, with every later change: a value, or the problems of
   * an invalid change. If {@link #load} was not called before, the first state counts as a change.
   *
   * @param every poll interval
   */
  void watch(Duration every, Consumer<LoadResult<T>> listener);

  /** As {@link #watch(Duration, Consumer)}, with a poll interval of {@link #POLL_INTERVAL}. */
  default void watch(Consumer<LoadResult<T>> listener) {
    watch(POLL_INTERVAL, listener);
  }

  /** Stops watching, and waits up to 5 s for a running call of the listener to return. */
  @Override
  void close();
}
