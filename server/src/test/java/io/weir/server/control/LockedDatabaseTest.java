package io.weir.server.control;

import static io.weir.server.control.ControlledServer.document;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.server.config.ServerConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process whose embedded database another process holds. */
@Tag("process")
class LockedDatabaseTest {
  @TempDir Path folder;

  @Test
  void servesWithoutAControlPlaneAndTakesTheDatabaseWhenItIsFree() throws Exception {
    Path rules = Files.writeString(folder.resolve("rules.yaml"), document("5/h"));
    Path state = folder.resolve("state");
    ServerConfig config = ControlledServer.config(state).rules(rules);
    DatabaseHolder holder = DatabaseHolder.start(state, rules);
    try (ControlledServer server = ControlledServer.start(config)) {
      assertThat(server.limit()).contains("5/h");
      await()
          .atMost(Duration.ofSeconds(20))
          .until(
              () ->
                  server
                      .plane()
                      .local()
                      .unavailable()
                      .filter(it -> it.contains("locked by " + DatabaseHolder.NAME))
                      .isPresent());
      assertThat(server.metric("weir_control_up")).hasValue(0);

      Files.writeString(rules, document("8/h"));
      server.awaitLimit("8/h", Duration.ofSeconds(10));

      holder.close();
      server.awaitOpen();
      await().atMost(Duration.ofSeconds(10)).until(() -> server.plane().local().version() == 1);
      assertThat(server.history()).hasSize(1);
    } finally {
      holder.close();
    }
  }
}
