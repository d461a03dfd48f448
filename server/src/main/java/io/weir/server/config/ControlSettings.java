package io.weir.server.config;

import io.weir.control.database.DatabaseSettings;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The control plane.
 *
 * @param database the PostgreSQL that all instances share; empty for an H2 file in the state folder
 * @param signingKey the file of the key that signs the audit log; empty for {@code audit.key} in
 *     the state folder
 * @param recording whether calls are recorded, for what-if
 * @param rulesInDatabase whether the database is the source of the rules, and not the rule file
 */
public record ControlSettings(
    Optional<DatabaseSettings.Postgres> database,
    Optional<Path> signingKey,
    boolean recording,
    boolean rulesInDatabase) {
  /** An embedded database, and rules from their file. */
  public static final ControlSettings DEFAULT =
      new ControlSettings(Optional.empty(), Optional.empty(), true, false);

  /** A copy with this PostgreSQL. */
  public ControlSettings database(String uri) {
    return new ControlSettings(
        Optional.of(DatabaseSettings.postgres(uri)), signingKey, recording, rulesInDatabase);
  }

  /** A copy with another source of the rules. */
  public ControlSettings rulesInDatabase(boolean inDatabase) {
    return new ControlSettings(database, signingKey, recording, inDatabase);
  }
}
