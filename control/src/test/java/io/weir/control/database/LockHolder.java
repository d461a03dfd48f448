package io.weir.control.database;

import io.weir.time.SystemTime;
import java.io.IOException;
import java.nio.file.Path;

/** A process that holds an H2 file open until its input ends. */
final class LockHolder {
  static final String NAME = "the holder";
  static final String READY = "ready";

  private LockHolder() {}

  public static void main(String[] arguments) throws IOException {
    var settings = new DatabaseSettings.Embedded(Path.of(arguments[0]), NAME);
    try (Database database = Database.open(settings, SystemTime.INSTANCE)) {
      System.out.println(READY);
      while (System.in.read() >= 0) {
        // Until the other side closes it.
      }
      database.measureClock();
    }
  }
}
