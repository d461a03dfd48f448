package io.weir.http.identity;

import io.weir.time.TimeSource;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Something that was read from outside and is read again now and then, in the background. Who asks
 * gets the last that was good, at once, whatever happens outside.
 */
final class ReloadingValue<T> {
  private static final Logger LOG = LoggerFactory.getLogger(ReloadingValue.class);

  /** How soon after a failure, and how soon after any reading if asked to hurry. */
  private static final Duration HURRY = Duration.ofSeconds(10);

  /** Reads the thing. */
  interface Source<T> {
    /**
     * What is there now; empty if it has not changed since the last time.
     *
     * @throws IOException with a reason in words if nothing usable is there
     */
    Optional<T> read() throws IOException;
  }

  private final String name;
  private final Source<T> source;
  private final TimeSource time;
  private final long every;
  private volatile T last;
  private volatile boolean wanted;
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

  /** Something that must be good to begin with. */
  static <T> ReloadingValue<T> begin(String name, Source<T> source, TimeSource time, Duration every)
      throws IOException {
    T first = source.read().orElseThrow(() -> new IOException(name + " cannot be read"));
    return new ReloadingValue<>(name, source, time, every, first);
  }

  /** Something that may be away to begin with; until it comes there is {@code otherwise}. */
  static <T> ReloadingValue<T> begin(
      String name, Source<T> source, TimeSource time, Duration every, T otherwise) {
    ReloadingValue<T> refreshed = new ReloadingValue<>(name, source, time, every, otherwise);
    refreshed.read();
    return refreshed;
  }

  private static long micros(Duration duration) {
    return duration.toNanos() / 1000;
  }

  /** The last that was good. */
  T get() {
    return last;
  }

  /** Something is missing in it: reads it again soon, but not at every call. */
  void refreshSoon() {
    wanted = true;
  }

  /** Reads it again if it is time; may take a while. Called by one thread only. */
  void tick() {
    long since = time.micros() - readAt;
    if (since >= every || ((wanted || failing) && since >= micros(HURRY))) {
      read();
    }
  }

  private void read() {
    readAt = time.micros();
    wanted = false;
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
        LOG.warn("{} cannot be used, what was read before stays: {}", name, e.getMessage());
      }
      failing = true;
    }
  }
}
