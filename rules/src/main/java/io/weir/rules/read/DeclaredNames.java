package io.weir.rules.read;

import io.weir.rules.tree.Location;
import java.util.HashMap;
import java.util.Map;

/** Names declared so far in all files, with their kind and location. */
final class DeclaredNames {
  private final Map<String, String> locations = new HashMap<>();

  /** Declares a name; a duplicate is reported with both locations. */
  boolean declare(Location location, String kind, String name, int line) {
    String earlier = locations.putIfAbsent(kind + " " + name, location.file() + ":" + line);
    if (earlier != null) {
      String what =
          switch (kind) {
            case "token" -> "bypass with this token";
            case "rule", "bypass" -> kind + " with this id";
            default -> kind + " of this name";
          };
      location.error(line, "there is another " + what + " at " + earlier);
    }
    return earlier == null;
  }

  boolean has(String kind, String name) {
    return locations.containsKey(kind + " " + name);
  }
}
