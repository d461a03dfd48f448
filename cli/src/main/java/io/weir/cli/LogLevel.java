package io.weir.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.slf4j.LoggerFactory;

/** Sets the log level from {@code LOG_LEVEL}, by the names of envoyproxy/ratelimit or of Weir. */
final class LogLevel {
  private LogLevel() {}

  /** Sets the level from the environment; without the variable it stays as it is. */
  static void set(Map<String, String> environment) {
    String value = environment.getOrDefault("LOG_LEVEL", "");
    of(value)
        .ifPresent(
            level ->
                ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME))
                    .setLevel(level));
    if (!value.isBlank() && of(value).isEmpty()) {
      LoggerFactory.getLogger(LogLevel.class).warn("LOG_LEVEL: '{}' is not a level", value);
    }
  }

  static Optional<Level> of(String text) {
    return switch (text.strip().toLowerCase(Locale.ROOT)) {
      case "trace" -> Optional.of(Level.TRACE);
      case "debug" -> Optional.of(Level.DEBUG);
      case "info" -> Optional.of(Level.INFO);
      case "warn", "warning" -> Optional.of(Level.WARN);
      case "error", "fatal", "panic" -> Optional.of(Level.ERROR);
      default -> Optional.empty();
    };
  }
}
