package io.weir.control;

import io.weir.control.audit.Origin;
import io.weir.control.database.Database;
import io.weir.control.database.DatabaseSettings;
import io.weir.control.store.Draft;
import io.weir.control.store.PublishResult;
import io.weir.control.store.RolloutState;
import io.weir.time.VirtualTime;
import java.util.Map;
import java.util.TreeMap;

/** What a part of the contract runs on: one fresh database, and time that the test moves. */
interface ContractHarness {
  Origin ALICE = new Origin("alice", "127.0.0.1", "because", "req-1");

  DatabaseSettings settings();

  VirtualTime time();

  ControlStores stores();

  /** The stores of another instance on the same database; closed after the test. */
  ControlStores anotherInstance(String id);

  default Database database() {
    return stores().database();
  }

  /** Runs one statement past the stores, as a person with access to the database would. */
  default int tamper(String sql, Object... arguments) {
    return database().write(it -> it.update(sql, arguments));
  }

  static Draft draft(String text) {
    return new Draft(new TreeMap<>(Map.of("rules.yaml", text)), "", "", "now", RolloutState.BAKING);
  }

  default PublishResult.Published publish(String text) {
    long newest = stores().versions().newest();
    return (PublishResult.Published) stores().versions().publish(draft(text), newest, ALICE);
  }
}
