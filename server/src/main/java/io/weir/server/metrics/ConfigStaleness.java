package io.weir.server.metrics;

import io.weir.time.TimeSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How long newer rules may exist that are not in force: the files on disk are invalid, or the
 * database with the rules cannot be read. That is safe, but an operator should know.
 */
public final class ConfigStaleness {
  /** Where configurations come from. */
  public enum Source {
    RULES,
    ENVOY,
    DATABASE
  }

  private final TimeSource time;
  private final Map<Source, Long> since = new ConcurrentHashMap<>();

  ConfigStaleness(TimeSource time) {
    this.time = time;
  }

  /** The files are valid and in force. Returns whether they were stale before. */
  public boolean markFresh(Source source) {
    return since.remove(source) != null;
  }

  /** The files are invalid; the time counts from the first invalid change. */
  public void markStale(Source source) {
    since.putIfAbsent(source, time.micros());
  }

  /** The longest time of all sources; 0 if none is stale. */
  public double seconds() {
    long now = time.micros();
    return since.values().stream().mapToLong(begun -> now - begun).max().orElse(0) / 1e6;
  }
}
