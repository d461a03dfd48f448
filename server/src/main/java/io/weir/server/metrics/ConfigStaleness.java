package io.weir.server.metrics;

import io.weir.time.TimeSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * For how long what was written is not what is in use. An invalid change leaves the last good rules
 * in force; that is safe, but somebody should know.
 */
public final class ConfigStaleness {
  /** What is read from files. */
  public enum Source {
    RULES,
    ENVOY
  }

  private final TimeSource time;
  private final Map<Source, Long> since = new ConcurrentHashMap<>();

  ConfigStaleness(TimeSource time) {
    this.time = time;
  }

  /** What is written is in use. Returns whether that is news. */
  public boolean markFresh(Source source) {
    return since.remove(source) != null;
  }

  /** What is written cannot be used; the clock starts with the first such change. */
  public void markStale(Source source) {
    since.putIfAbsent(source, time.micros());
  }

  /** The longest of all sources; 0 if all is well. */
  public double seconds() {
    long now = time.micros();
    return since.values().stream().mapToLong(begun -> now - begun).max().orElse(0) / 1e6;
  }
}
