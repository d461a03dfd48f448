package io.weir.control.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.control.ControlStores;
import io.weir.control.audit.Origin;
import io.weir.control.database.DatabaseSettings;
import io.weir.control.store.Adjustment;
import io.weir.control.store.KeyRef;
import io.weir.time.VirtualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DriverLoopTest {
  @TempDir Path folder;

  private final VirtualTime time = new VirtualTime();
  private ControlStores stores;
  private RolloutDriver driver;
  private DriverLoop loop;

  @BeforeEach
  void open() {
    stores =
        ControlStores.open(
            new DatabaseSettings.Embedded(folder.resolve("control"), "this test"),
            time,
            folder.resolve("key"),
            "a");
    driver = new RolloutDriver(stores, "a", RuleRestorer.NONE, UpstreamHealth.UNKNOWN);
    loop = new DriverLoop(driver, time, Runnable::run);
  }

  @AfterEach
  void close() {
    loop.close();
    stores.close();
  }

  @Test
  void looksEveryFiveSeconds() {
    Instant now = stores.database().now();
    stores
        .overrides()
        .set(
            "api",
            KeyRef.of(List.of("42")),
            new Adjustment.Unlimited(),
            now,
            now.plusSeconds(7),
            Origin.process("alice", "why"));
    loop.start();
    assertThat(driver.figures().driving()).isTrue();
    time.advance(Duration.ofSeconds(9));
    assertThat(live()).isTrue();

    time.advance(Duration.ofSeconds(1));
    assertThat(live()).isFalse();
  }

  private boolean live() {
    return stores.overrides().list(0, 1, true).get(0).live();
  }

  @Test
  void renewsItsLeaseAndGivesItUpAtTheEnd() {
    loop.start();
    time.advance(Duration.ofMinutes(5));
    assertThat(stores.driver().acquire("b", RolloutDriver.LEASE)).isEmpty();

    loop.close();

    assertThat(driver.figures().driving()).isFalse();
    assertThat(stores.driver().acquire("b", RolloutDriver.LEASE)).isPresent();
    time.advance(Duration.ofMinutes(5));
    assertThat(stores.driver().acquire("c", RolloutDriver.LEASE)).isPresent();
  }

  @Test
  void goesOnAfterTheDatabaseFailed() {
    stores.database().write(sql -> sql.update("alter table driver rename to away"));
    loop.start();
    time.advance(Duration.ofSeconds(20));
    assertThat(driver.figures().driving()).isFalse();

    stores.database().write(sql -> sql.update("alter table away rename to driver"));
    time.advance(Duration.ofSeconds(5));

    assertThat(driver.figures().driving()).isTrue();
  }
}
