package io.weir.rules.read;

import io.weir.rules.tree.Location;
import java.util.HashMap;
import java.util.Map;

/** Which names are taken, by what and where, over all files. */
final class DeclaredNames {
  private final Map<String, String> places = new HashMap<>();

  /** Takes a name; one that is taken already is reported with both places. */
  boolean declare(Location place, String kind, String name, int line) {
    String earlier = places.putIfAbsent(kind + " " + name, place.file() + ":" + line);
    if (earlier != null) {
      String what =
          switch (kind) {
            case "token" -> "bypass with this token";
            case "rule", "bypass" -> kind + " with this id";
            default -> kind + " of this name";
          };
      place.error(line, "there is another " + what + " at " + earlier);
    }
    return earlier == null;
  }

  boolean has(String kind, String name) {
    return places.containsKey(kind + " " + name);
  }
}
