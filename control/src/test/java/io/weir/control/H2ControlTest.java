package io.weir.control;

import io.weir.control.database.DatabaseSettings;

/** The contract on the embedded database. Instances of one process share its file. */
class H2ControlTest extends ControlContract {
  @Override
  public DatabaseSettings settings() {
    return new DatabaseSettings.Embedded(folder.resolve("control"), "this test");
  }

  @Override
  DatabaseSettings copySettings() {
    return new DatabaseSettings.Embedded(folder.resolve("copy"), "this test");
  }
}
