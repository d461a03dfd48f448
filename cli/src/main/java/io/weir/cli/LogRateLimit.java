package io.weir.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import io.weir.time.SystemTime;
import io.weir.time.TimeSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;

/**
 * Limits the log lines of each logger, so that no client can fill a disk with requests that cause
 * log lines. Suppressed lines are counted, and the count is logged with the next line.
 *
 * <p>A logger of Weir may log {@value #OF_WEIR} lines per minute, a logger of a library {@value
 * #OF_LIBRARIES}. Libraries log stack traces of connection errors, which Weir counts or answers
 * anyway. Lines below the level INFO are not limited, as they are enabled only on purpose. Lines
 * with the marker {@value #STATE_CHANGE} are neither limited nor counted: each reports a change
 * that an operator has to see, such as rules that became invalid, and clients cannot cause them.
 */
public final class LogRateLimit extends TurboFilter {
  static final int OF_WEIR = 60;
  static final int OF_LIBRARIES = 3;
  private static final long WINDOW_MICROS = 60_000_000;
  private static final String OWN = "io.weir.";
  private static final String STATE_CHANGE = "STATE_CHANGE";

  private final Map<String, Window> windows = new ConcurrentHashMap<>();
  private final TimeSource time;

  /** The lines of one logger in its current minute. */
  private static final class Window {
    private final int most;
    private long since;
    private int logged;
    private long suppressed;

    Window(int most, long now) {
      this.most = most;
      this.since = now;
    }

    synchronized boolean admits(long now) {
      if (now - since >= WINDOW_MICROS) {
        since = now;
        logged = 0;
      }
      if (logged < most) {
        logged++;
        return true;
      }
      suppressed++;
      return false;
    }

    /** The number of lines suppressed since the last report; 0 while lines are still suppressed. */
    synchronized long suppressed(long now) {
      if (suppressed == 0 || (now - since < WINDOW_MICROS && logged >= most)) {
        return 0;
      }
      long count = suppressed;
      suppressed = 0;
      return count;
    }
  }

  /** Called by Logback. */
  public LogRateLimit() {
    this(SystemTime.INSTANCE);
  }

  LogRateLimit(TimeSource time) {
    this.time = time;
  }

  @Override
  public FilterReply decide(
      @Nullable Marker marker,
      Logger logger,
      Level level,
      @Nullable String format,
      Object @Nullable [] parameters,
      @Nullable Throwable error) {
    boolean limited =
        format != null // null for isEnabled checks
            && level.isGreaterOrEqual(Level.INFO)
            && level.isGreaterOrEqual(logger.getEffectiveLevel())
            && !logger.getName().equals(LogRateLimit.class.getName())
            && (marker == null || !marker.contains(STATE_CHANGE));
    if (!limited) {
      return FilterReply.NEUTRAL;
    }
    long now = time.micros();
    boolean admitted =
        windows.computeIfAbsent(logger.getName(), name -> new Window(most(name), now)).admits(now);
    windows.forEach((name, window) -> report(logger, name, window.suppressed(now)));
    return admitted ? FilterReply.NEUTRAL : FilterReply.DENY;
  }

  private static int most(String logger) {
    return logger.startsWith(OWN) ? OF_WEIR : OF_LIBRARIES;
  }

  private static void report(Logger by, String name, long suppressed) {
    if (suppressed > 0) {
      by.getLoggerContext()
          .getLogger(LogRateLimit.class)
          .warn("{} more lines of {} were suppressed", suppressed, name);
    }
  }
}
