package io.weir.rules;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * A file, or a folder of files, that is read at start and followed afterwards.
 *
 * @param <T> what the files hold
 */
public sealed interface ReloadableFiles<T> extends AutoCloseable permits RuleFile, EnvoyFolder {
  /** How often files are looked at: often enough that a change is in force within a second. */
  Duration LOOK_EVERY = Duration.ofMillis(500);

  /**
   * Reads the files as they are now. If they are invalid and there are remembered ones, those give
   * the value, and the problems are those of the present files.
   */
  LoadResult<T> load();

  /**
   * Calls a listener, on a thread of its own, with every later change: a value, or the problems of
   * an invalid change. If {@link #load} was not called before, the first state counts as a change.
   *
   * @param every how often the files are looked at
   */
  void watch(Duration every, Consumer<LoadResult<T>> listener);

  /** As {@link #watch(Duration, Consumer)}, looking every {@link #LOOK_EVERY}. */
  default void watch(Consumer<LoadResult<T>> listener) {
    watch(LOOK_EVERY, listener);
  }

  /** Stops watching, and waits until the listener is not being called any more. */
  @Override
  void close();
}
