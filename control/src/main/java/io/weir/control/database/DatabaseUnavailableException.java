package io.weir.control.database;

/**
 * The database cannot be reached. Whether a change that was under way has been made is unknown; a
 * caller reads the state before it repeats one.
 */
public final class DatabaseUnavailableException extends DatabaseException {
  DatabaseUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }

  public DatabaseUnavailableException(String message) {
    super(message, null);
  }
}
