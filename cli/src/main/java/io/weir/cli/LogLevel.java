package io.weir.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.slf4j.LoggerFactory;

/** How much is logged: {@code LOG_LEVEL}, in the words of envoyproxy/ratelimit or of Weir. */
final class LogLevel {
  private LogLevel() {}

  /** Sets the level that the environment names; without one it stays as it is. */
  static void set(Map<String, String> environment) {
    String told = environment.getOrDefault("LOG_LEVEL", "");
    of(told)
        .ifPresent(
            level ->
                ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME))
                    .setLevel(level));
    if (!told.isBlank() && of(told).isEmpty()) {
      LoggerFactory.getLogger(LogLevel.class).warn("LOG_LEVEL: '{}' is not a level", told);
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
