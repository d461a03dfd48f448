package io.weir.base;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Detects rules that replace each other in a cycle: none of them would apply, and calls would pass
 * without a limit.
 */
public final class ReplacesCycle {
  private final Map<String, List<String>> replaces;
  private final Set<String> cleared = new HashSet<>();

  /**
   * Creates a detector.
   *
   * @param replaces the ids that each rule replaces, by rule id; ids without a rule are ignored
   */
  public ReplacesCycle(Map<String, List<String>> replaces) {
    this.replaces = replaces;
  }

  /**
   * A rule that the given rule replaces and that replaces it, directly or through others; empty if
   * there is none.
   */
  public Optional<String> through(String id) {
    for (String other : replaces.getOrDefault(id, List.of())) {
      if (!other.equals(id) && reaches(other, id, new HashSet<>())) {
        return Optional.of(other);
      }
    }
    cleared.add(id);
    return Optional.empty();
  }

  private boolean reaches(String from, String id, Set<String> seen) {
    if (from.equals(id)) {
      return true;
    }
    if (cleared.contains(from) || !seen.add(from)) {
      return false;
    }
    for (String next : replaces.getOrDefault(from, List.of())) {
      if (reaches(next, id, seen)) {
        return true;
      }
    }
    return false;
  }
}
