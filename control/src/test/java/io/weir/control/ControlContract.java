package io.weir.control;

import io.weir.control.audit.AuditKey;
import io.weir.control.database.Database;
import io.weir.control.database.DatabaseSettings;
import io.weir.time.VirtualTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The contract of the control plane's storage, run on each database. */
abstract class ControlContract
    implements VersionContract,
        KeyContract,
        FleetContract,
        AuditContract,
        FeedContract,
        RecordingContract,
        TransferContract,
        RolloutContract,
        RolloutActionContract,
        ExpiryContract {
  @TempDir Path folder;

  private final VirtualTime time = new VirtualTime();
  private final List<Database> open = new ArrayList<>();
  private ControlStores stores;

  @BeforeEach
  void openDatabase() {
    stores = anotherInstance("instance-0");
  }

  @AfterEach
  void closeDatabases() {
    open.forEach(Database::close);
  }

  @Override
  public VirtualTime time() {
    return time;
  }

  @Override
  public ControlStores stores() {
    return stores;
  }

  /** Where a copy of this database goes: always a file here. */
  abstract DatabaseSettings copySettings();

  @Override
  public Database copyTarget() {
    Database target = Database.open(copySettings(), time);
    open.add(target);
    return target;
  }

  @Override
  public ControlStores anotherInstance(String id) {
    Database database = Database.open(settings(), time);
    open.add(database);
    try {
      return ControlStores.of(database, AuditKey.load(folder.resolve(id + ".key")), id);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
