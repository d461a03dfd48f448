package io.weir.control;

import io.weir.control.audit.AuditKey;
import io.weir.control.audit.AuditLog;
import io.weir.control.change.ChangeLog;
import io.weir.control.database.Database;
import io.weir.control.database.DatabaseSettings;
import io.weir.control.store.BlockStore;
import io.weir.control.store.DriverLease;
import io.weir.control.store.InstanceRegistry;
import io.weir.control.store.KillSwitchStore;
import io.weir.control.store.OverrideStore;
import io.weir.control.store.RecordingStore;
import io.weir.control.store.RolloutStore;
import io.weir.control.store.SampleStore;
import io.weir.control.store.TenantStore;
import io.weir.control.store.TokenStore;
import io.weir.control.store.VersionStore;
import io.weir.control.store.VetoStore;
import io.weir.control.usage.UsageCheckpoints;
import io.weir.time.TimeSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** Everything that an open database of the control plane stores, one class per table. */
public record ControlStores(
    Database database,
    ChangeLog changes,
    VersionStore versions,
    RolloutStore rollouts,
    OverrideStore overrides,
    BlockStore blocks,
    TenantStore tenants,
    KillSwitchStore killSwitches,
    TokenStore tokens,
    InstanceRegistry instances,
    UsageCheckpoints usage,
    DriverLease driver,
    SampleStore samples,
    VetoStore vetoes,
    RecordingStore recordings,
    AuditLog audit)
    implements AutoCloseable {

  /**
   * The stores of an open database. Enters the instance's public key into the audit log once.
   *
   * @param instance the id of this instance
   */
  public static ControlStores of(Database database, AuditKey key, String instance) {
    ChangeLog changes = ChangeLog.open(database, key, instance);
    return new ControlStores(
        database,
        changes,
        new VersionStore(changes),
        new RolloutStore(changes),
        new OverrideStore(changes),
        new BlockStore(changes),
        new TenantStore(changes),
        new KillSwitchStore(changes),
        new TokenStore(changes),
        new InstanceRegistry(database),
        new UsageCheckpoints(database),
        new DriverLease(database),
        new SampleStore(database),
        new VetoStore(database),
        new RecordingStore(database),
        new AuditLog(database));
  }

  /**
   * Opens a database and its stores. Blocks; {@link io.weir.control.database.DatabaseOpener} calls
   * it beside the start.
   *
   * @param keyFile the signing key of this instance; made if it is not there
   */
  public static ControlStores open(
      DatabaseSettings settings, TimeSource time, Path keyFile, String instance) {
    Database database = Database.open(settings, time);
    try {
      return of(database, AuditKey.load(keyFile), instance);
    } catch (IOException e) {
      database.close();
      throw new UncheckedIOException(e);
    } catch (RuntimeException e) {
      database.close();
      throw e;
    }
  }

  @Override
  public void close() {
    database.close();
  }
}
