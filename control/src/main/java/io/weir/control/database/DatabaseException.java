package io.weir.control.database;

import org.jspecify.annotations.Nullable;

/** A statement failed for a reason that lies in the statement or the data, not the connection. */
public class DatabaseException extends RuntimeException {
  DatabaseException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
