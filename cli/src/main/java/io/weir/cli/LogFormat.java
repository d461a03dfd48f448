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

/** How log lines look: words for people, or, with {@code LOG_FORMAT=json}, JSON for machines. */
final class LogFormat {
  private LogFormat() {}

  /** Sets the format that the environment names; without one it stays as it is. */
  static void set(Map<String, String> environment) {
    String told = environment.getOrDefault("LOG_FORMAT", "").strip().toLowerCase(Locale.ROOT);
    if (told.equals("json")) {
      toJson();
    } else if (!told.isEmpty() && !told.equals("text")) {
      LoggerFactory.getLogger(LogFormat.class).warn("LOG_FORMAT: '{}' is not text or json", told);
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
