package io.weir.server.metrics;

import io.weir.time.TimeSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How long the files on disk have been invalid, so that older rules are still in force. That is
 * safe, but an operator should know.
 */
public final class ConfigStaleness {
  /** The configurations that are read from files. */
  public enum Source {
    RULES,
    ENVOY
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
