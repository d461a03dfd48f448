package io.weir.rules.diff;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds the rules that moved. Order only decides which of several rules is named on a tie, so the
 * diff names as few rules as explain the change.
 */
final class OrderDiff {
  private OrderDiff() {}

  /** For each rule that moved, its new position: {@code after search}. */
  static Map<String, String> moved(List<String> before, List<String> after) {
    Map<String, Integer> old = new HashMap<>();
    before.forEach(id -> old.put(id, old.size()));
    List<String> both = after.stream().filter(old::containsKey).toList();
    Set<String> stayed = longestInOrder(both, old);
    Map<String, String> moved = new HashMap<>();
    for (int i = 0; i < both.size(); i++) {
      if (!stayed.contains(both.get(i))) {
        moved.put(both.get(i), i == 0 ? "to the front" : "after " + both.get(i - 1));
      }
    }
    return moved;
  }

  /** The most ids that still follow each other as before: a longest increasing subsequence. */
  private static Set<String> longestInOrder(List<String> ids, Map<String, Integer> old) {
    int[] previous = new int[ids.size()];
    int[] ends = new int[ids.size()];
    int[] endPositions = new int[ids.size()];
    int length = 0;
    for (int i = 0; i < ids.size(); i++) {
      int position = old.get(ids.get(i));
      int at = -1 - Arrays.binarySearch(endPositions, 0, length, position);
      previous[i] = at == 0 ? -1 : ends[at - 1];
      ends[at] = i;
      endPositions[at] = position;
      length = Math.max(length, at + 1);
    }
    Set<String> stayed = new HashSet<>();
    for (int i = length == 0 ? -1 : ends[length - 1]; i >= 0; i = previous[i]) {
      stayed.add(ids.get(i));
    }
    return stayed;
  }
}
