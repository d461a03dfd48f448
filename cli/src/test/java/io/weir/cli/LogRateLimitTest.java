package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Marker;
import org.slf4j.MarkerFactory;

class LogRateLimitTest {
  private final VirtualTime time = new VirtualTime();
  private final LoggerContext context = new LoggerContext();
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

  @BeforeEach
  void configure() {
    context.addTurboFilter(new LogRateLimit(time));
    lines.start();
    Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.INFO);
    root.addAppender(lines);
  }

  private List<String> lines() {
    return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  private void flood(String logger, int times) {
    for (int i = 0; i < times; i++) {
      context.getLogger(logger).warn("stumbled over {}", i);
    }
  }

  @Test
  void suppressesAFloodAndLogsTheNumberOfSuppressedLines() {
    flood("io.vertx.core.impl.ContextImpl", 2000);
    assertThat(lines()).hasSize(LogRateLimit.OF_LIBRARIES);

    lines.list.clear();
    time.advance(Duration.ofMinutes(1));
    flood("io.vertx.core.impl.ContextImpl", 1);

    assertThat(lines())
        .containsExactlyInAnyOrder(
            "1997 more lines of io.vertx.core.impl.ContextImpl were suppressed", "stumbled over 0");
  }

  @Test
  void logsTheNumberAlsoWhenAnotherLoggerIsNext() {
    flood("io.netty.A", 100);
    lines.list.clear();
    time.advance(Duration.ofMinutes(1));
    flood("io.weir.B", 2);

    assertThat(lines())
        .containsExactlyInAnyOrder(
            "97 more lines of io.netty.A were suppressed", "stumbled over 0", "stumbled over 1");
  }

  @Test
  void limitsEachLoggerForItself() {
    flood("io.netty.A", 100);
    flood("io.netty.B", 2);
    flood("io.weir.C", 1000);

    assertThat(lines()).hasSize(LogRateLimit.OF_LIBRARIES + 2 + LogRateLimit.OF_WEIR);
  }

  @Test
  void neverSuppressesALineThatReportsAChangeOfState() {
    Marker stateChange = MarkerFactory.getMarker("STATE_CHANGE");
    flood("io.weir.Rules", 1000);
    lines.list.clear();
    for (int i = 0; i < 100; i++) {
      context.getLogger("io.weir.Rules").info(stateChange, "valid again");
    }

    assertThat(lines()).hasSize(100).containsOnly("valid again");

    time.advance(Duration.ofMinutes(1));
    flood("io.weir.Rules", 1);
    assertThat(lines()).contains("940 more lines of io.weir.Rules were suppressed");
  }

  @Test
  void doesNotLimitDebugLines() {
    Logger logger = context.getLogger("io.netty.A");
    logger.setLevel(Level.DEBUG);
    for (int i = 0; i < 500; i++) {
      logger.debug("detail");
    }
    logger.setLevel(Level.OFF);
    flood("io.netty.A", 100);

    assertThat(lines()).hasSize(500).containsOnly("detail");
  }
}
