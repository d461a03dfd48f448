package io.weir.rule;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Finds rules that replace each other in a circle: all of them would be left out, and nobody
 * limited.
 */
public final class ReplacesCycle {
  private final Map<String, List<String>> replaces;
  private final Set<String> cleared = new HashSet<>();

  /**
   * Looks at who replaces whom.
   *
   * @param replaces by rule id; ids that are no rule are of no account
   */
  public ReplacesCycle(Map<String, List<String>> replaces) {
    this.replaces = replaces;
  }

  /** The rule that a rule is replaced by and itself replaces, directly or by way of others. */
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
