package io.weir.server;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What is logged while this is open, by whatever thread. */
final class LogLines extends AppenderBase<ILoggingEvent> implements AutoCloseable {
  /** The messages so far. */
  final List<String> said = new CopyOnWriteArrayList<>();

  /** What each of them says beside its message, such as which trace it belongs to. */
  final List<Map<String, String>> besides = new CopyOnWriteArrayList<>();

  private final Logger log;

  private LogLines(String logger) {
    this.log = (Logger) LoggerFactory.getLogger(logger);
    start();
    log.addAppender(this);
  }

  static LogLines of(Class<?> who) {
    return new LogLines(who.getName());
  }

  static LogLines ofAll() {
    return new LogLines(org.slf4j.Logger.ROOT_LOGGER_NAME);
  }

  @Override
  protected void append(ILoggingEvent event) {
    besides.add(Map.copyOf(event.getMDCPropertyMap()));
    said.add(event.getFormattedMessage());
  }

  @Override
  public void close() {
    log.detachAppender(this);
  }
}
