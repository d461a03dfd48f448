package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.config.ServerConfig;
import io.weir.server.config.SharedStoreSettings;
import io.weir.server.fixture.TestServer;
import io.weir.server.http.ConnectionTracker;
import io.weir.testkit.LogCapture;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A flood of invented keys shows in the metrics and in the log, and leaves room for other keys. */
class FullTableTest {
  private static final int MAX_KEYS = 200;
  private static final int PER_ADDRESS = 30;
  private static final int FLOOD = 400;

  private static TestServer server() {
    return TestServer.with(
        config ->
            config
                .memory(new ServerConfig.Memory(MAX_KEYS, 0))
                .shared(
                    new SharedStoreSettings(Optional.empty(), Optional.empty(), 1, PER_ADDRESS)),
        ConnectionTracker.TICK,
        "{ id: users, match: { path: /users }, key: [user], limit: 1/h }",
        "{ id: addresses, match: { path: /addresses }, key: [ip], limit: 1/h }");
  }

  private static boolean isAllowed(TestServer server, String path, String ip, String user) {
    String call =
        "{\"method\":\"GET\",\"path\":\"%s\",\"attributes\":{\"ip\":\"%s\",\"user\":\"%s\"}}"
            .formatted(path, ip, user);
    return server.check(call).getBoolean("allowed");
  }

  @Test
  void keysOfOneAddressAreCapped() {
    try (LogCapture log = LogCapture.ofAll();
        TestServer server = server()) {
      for (int i = 0; i < FLOOD; i++) {
        isAllowed(server, "/users", "192.0.2.1", "invented-" + i);
      }

      assertThat(server.metric("weir_capped_draws_total")).hasValue(FLOOD - PER_ADDRESS);
      assertThat(server.metric("weir_overflow_draws_total")).hasValue(0);
      assertThat(lines(log, "an address used more than 30 new keys of rule users")).hasSize(1);
      assertThat(isAllowed(server, "/users", "192.0.2.2", "known")).isTrue();
      assertThat(isAllowed(server, "/users", "192.0.2.2", "known")).isFalse();
    }
  }

  @Test
  void keysOfManyAddressesLeaveRoomForOtherRules() {
    try (LogCapture log = LogCapture.ofAll();
        TestServer server = server()) {
      for (int i = 0; i < FLOOD; i++) {
        isAllowed(server, "/users", "192.0.2." + i, "invented-" + i);
      }

      assertThat(server.metric("weir_overflow_draws_total").orElseThrow()).isBetween(220.0, 230.0);
      assertThat(server.metric("weir_capped_draws_total")).hasValue(0);
      assertThat(lines(log, "the memory table has no room for new keys of rule users")).hasSize(1);
      for (int i = 0; i < 10; i++) {
        String address = "198.51.100." + i;
        assertThat(isAllowed(server, "/addresses", address, "")).as(address).isTrue();
        assertThat(isAllowed(server, "/addresses", address, "")).as(address).isFalse();
      }
    }
  }

  private static List<String> lines(LogCapture log, String beginning) {
    return log.messages().stream().filter(line -> line.contains(beginning)).toList();
  }
}
