package io.weir.control.database;

import java.sql.SQLException;

/** Explains why a database does not open: locked, unreachable, or broken. */
final class OpenFailure {
  /** H2: the file is locked by another process. */
  private static final int H2_ALREADY_OPEN = 90020;

  private OpenFailure() {}

  static RuntimeException of(DatabaseSettings settings, RuntimeException failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql) {
        if (sql.getErrorCode() == H2_ALREADY_OPEN
            && settings instanceof DatabaseSettings.Embedded embedded) {
          return new DatabaseUnavailableException(
              embedded.description() + " is locked by " + HolderFile.read(embedded), failure);
        }
        if (Database.isConnectionFailure(sql)) {
          return new DatabaseUnavailableException(
              settings.description() + ": " + sql.getMessage(), failure);
        }
      }
    }
    return new DatabaseException(settings.description() + ": " + failure.getMessage(), failure);
  }
}
