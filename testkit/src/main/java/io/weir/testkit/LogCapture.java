package io.weir.testkit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Captures log events of all threads while it is open; meanwhile no other appender receives them.
 */
public final class LogCapture extends AppenderBase<ILoggingEvent> implements AutoCloseable {
  private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
  private final Logger log;
  private final @Nullable Level before;
  private final boolean shown;

  private LogCapture(String logger, @Nullable Level level) {
    this.log = (Logger) LoggerFactory.getLogger(logger);
    this.before = log.getLevel();
    this.shown = log.isAdditive();
    start();
    log.addAppender(this);
    log.setAdditive(false);
    if (level != null) {
      log.setLevel(level);
    }
  }

  /** Events of one class, from level INFO. */
  public static LogCapture of(Class<?> type) {
    return new LogCapture(type.getName(), Level.INFO);
  }

  /** Events of a package at every level. */
  public static LogCapture ofPackage(String name) {
    return new LogCapture(name, Level.TRACE);
  }

  /** Events of all loggers at their configured levels. */
  public static LogCapture ofAll() {
    return new LogCapture(org.slf4j.Logger.ROOT_LOGGER_NAME, null);
  }

  @Override
  protected void append(ILoggingEvent event) {
    event.prepareForDeferredProcessing();
    events.add(event);
  }

  /** The messages so far. */
  public List<String> messages() {
    return events.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  /** The messages so far, each prefixed with its level. */
  public List<String> withLevels() {
    return events.stream()
        .map(event -> event.getLevel() + " " + event.getFormattedMessage())
        .toList();
  }

  /** The messages with a marker. */
  public List<String> marked(String marker) {
    return events.stream()
        .filter(event -> event.getMarkerList() != null)
        .filter(event -> event.getMarkerList().stream().anyMatch(m -> m.contains(marker)))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  /** The MDC of each event, such as the trace it belongs to. */
  public List<Map<String, String>> besides() {
    return events.stream().map(event -> Map.copyOf(event.getMDCPropertyMap())).toList();
  }

  /** Discards the events so far. */
  public void forget() {
    events.clear();
  }

  @Override
  public void close() {
    log.detachAppender(this);
    log.setAdditive(shown);
    log.setLevel(before);
  }
}
