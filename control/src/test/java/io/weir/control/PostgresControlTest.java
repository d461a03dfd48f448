package io.weir.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.control.database.Database;
import io.weir.control.database.DatabaseCopy;
import io.weir.control.database.DatabaseSettings;
import io.weir.control.store.PublishResult;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The contract on a real PostgreSQL server. */
@Tag("process")
class PostgresControlTest extends ControlContract {
  private final DatabaseSettings settings = SharedPostgres.freshDatabase();

  @Override
  public DatabaseSettings settings() {
    return settings;
  }

  @Override
  DatabaseSettings copySettings() {
    return new DatabaseSettings.Embedded(folder.resolve("copy"), "this test");
  }

  @Test
  void anEmbeddedDatabaseMovesToPostgresWithItsLog() {
    try (ControlStores embedded =
        ControlStores.open(copySettings(), time(), folder.resolve("embedded.key"), "embedded")) {
      PublishResult.Published first =
          (PublishResult.Published)
              embedded.versions().publish(ContractHarness.draft("first"), 0, ALICE);
      DatabaseSettings empty = SharedPostgres.freshDatabase();
      try (Database target = Database.open(empty, time())) {
        DatabaseCopy.copy(embedded.database(), target);
      }
      Path key = folder.resolve("other.key");
      try (ControlStores moved = ControlStores.open(empty, time(), key, "other")) {
        assertThat(moved.versions().find(1)).contains(first.version());
        assertThat(moved.versions().publish(ContractHarness.draft("second"), 1, ALICE))
            .isInstanceOf(PublishResult.Published.class);
        assertThat(moved.audit().verify(List.of(embedded.audit().head())).findings()).isEmpty();
      }
    }
  }
}
