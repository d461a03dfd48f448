package io.weir.http.identity;

import io.weir.time.TimeSource;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A value that is reloaded from an external source in the background. Readers get the last valid
 * value at once, whatever happens to the source.
 */
final class ReloadingValue<T> {
  private static final Logger LOG = LoggerFactory.getLogger(ReloadingValue.class);

  /** Delay before a retry after a failure, and minimum delay before a requested refresh. */
  private static final Duration RETRY_DELAY = Duration.ofSeconds(10);

  /** Reads the value. */
  interface Source<T> {
    /**
     * The current value; empty if it has not changed since the last read.
     *
     * @throws IOException with the reason if there is no usable value
     */
    Optional<T> read() throws IOException;
  }

  private final String name;
  private final Source<T> source;
  private final TimeSource time;
  private final long every;
  private volatile T last;
  private volatile boolean refreshRequested;
  private long readAt;
  private boolean failing;

  private ReloadingValue(String name, Source<T> source, TimeSource time, Duration every, T first) {
    this.name = name;
    this.source = source;
    this.time = time;
    this.every = micros(every);
    this.last = first;
    this.readAt = time.micros();
  }

  /** A value that must be valid at start. */
  static <T> ReloadingValue<T> begin(String name, Source<T> source, TimeSource time, Duration every)
      throws IOException {
    T first = source.read().orElseThrow(() -> new IOException(name + " cannot be read"));
    return new ReloadingValue<>(name, source, time, every, first);
  }

  /**
   * A value whose source may be unavailable at start; {@code otherwise} is used until it answers.
   */
  static <T> ReloadingValue<T> begin(
      String name, Source<T> source, TimeSource time, Duration every, T otherwise) {
    ReloadingValue<T> value = new ReloadingValue<>(name, source, time, every, otherwise);
    value.read();
    return value;
  }

  private static long micros(Duration duration) {
    return duration.toNanos() / 1000;
  }

  /** The last valid value. */
  T get() {
    return last;
  }

  /** Requests a reload, because the value lacks something; repeated requests are rate-limited. */
  void refreshSoon() {
    refreshRequested = true;
  }

  /** Reloads the value if it is due; may block for seconds. Called by one thread only. */
  void tick() {
    long since = time.micros() - readAt;
    if (since >= every || ((refreshRequested || failing) && since >= micros(RETRY_DELAY))) {
      read();
    }
  }

  private void read() {
    readAt = time.micros();
    refreshRequested = false;
    try {
      source
          .read()
          .ifPresent(
              next -> {
                last = next;
                LOG.info("{} was read", name);
              });
      failing = false;
    } catch (IOException | RuntimeException | Error e) {
      if (!failing) {
        LOG.warn("{} cannot be used; the previous value stays in force: {}", name, e.getMessage());
      }
      failing = true;
    }
  }
}
