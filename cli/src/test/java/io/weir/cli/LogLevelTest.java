package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class LogLevelTest {
  @Test
  void knowsTheLevelNamesOfBothProjects() {
    assertThat(LogLevel.of("warning")).hasValue(Level.WARN);
    assertThat(LogLevel.of("WARN")).hasValue(Level.WARN);
    assertThat(LogLevel.of("Debug")).hasValue(Level.DEBUG);
    assertThat(LogLevel.of("trace")).hasValue(Level.TRACE);
    assertThat(LogLevel.of("info")).hasValue(Level.INFO);
    assertThat(LogLevel.of("panic")).hasValue(Level.ERROR);
    assertThat(LogLevel.of("loud")).isEmpty();
    assertThat(LogLevel.of("")).isEmpty();
  }

  @Test
  void keepsTheLevelUnlessOneIsSet() {
    Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    Level before = root.getLevel();
    try {
      LogLevel.set(Map.of());
      LogLevel.set(Map.of("LOG_LEVEL", "loud"));
      assertThat(root.getLevel()).isEqualTo(before);
      LogLevel.set(Map.of("LOG_LEVEL", "error"));
      assertThat(root.getLevel()).isEqualTo(Level.ERROR);
    } finally {
      root.setLevel(before);
    }
  }
}
