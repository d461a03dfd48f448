package io.weir.cli;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import org.slf4j.LoggerFactory;

/** Sets the format of log lines: text, or JSON with {@code LOG_FORMAT=json}. */
final class LogFormat {
  private LogFormat() {}

  /** Sets the format from the environment; without the variable it stays as it is. */
  static void set(Map<String, String> environment) {
    String value = environment.getOrDefault("LOG_FORMAT", "").strip().toLowerCase(Locale.ROOT);
    if (value.equals("json")) {
      toJson();
    } else if (!value.isEmpty() && !value.equals("text")) {
      LoggerFactory.getLogger(LogFormat.class).warn("LOG_FORMAT: '{}' is not text or json", value);
    }
  }

  private static void toJson() {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    Iterator<Appender<ILoggingEvent>> appenders = root.iteratorForAppenders();
    while (appenders.hasNext()) {
      if (appenders.next() instanceof ConsoleAppender<ILoggingEvent> console) {
        JsonLogLayout lines = new JsonLogLayout();
        lines.setContext(context);
        lines.start();
        console.setEncoder(lines);
      }
    }
  }
}
