package io.weir.rule.index;

import io.weir.Call;
import java.util.Arrays;

/** The rules that apply to one call, in document order, each once. */
final class MatchedRules {
  private PathMatch[] hits = new PathMatch[4];
  private int size;
  private int looked;

  /** How many rules were looked at, for tests of the index. */
  int looked() {
    return looked;
  }

  int size() {
    return size;
  }

  PathMatch get(int i) {
    return hits[i];
  }

  /** Adds those whose other conditions hold for the call. */
  void addAll(PathMatch[] some, Call call) {
    looked += some.length;
    for (PathMatch hit : some) {
      if (hit.rule().appliesApartFromPath(call)) {
        add(hit);
      }
    }
  }

  /** Adds rules that apply to every call. */
  void addAll(PathMatch[] some) {
    looked += some.length;
    for (PathMatch hit : some) {
      add(hit);
    }
  }

  private void add(PathMatch hit) {
    int at = size;
    while (at > 0 && hit.comesBefore(hits[at - 1])) {
      at--;
    }
    if (at > 0 && hits[at - 1].rule() == hit.rule()) {
      return;
    }
    if (at < size && hits[at].rule() == hit.rule()) {
      hits[at] = hit;
      return;
    }
    if (size == hits.length) {
      hits = Arrays.copyOf(hits, 2 * size);
    }
    System.arraycopy(hits, at, hits, at + 1, size - at);
    hits[at] = hit;
    size++;
  }

  /**
   * The same without every rule that another one here replaces, if that one is enforced for this
   * call.
   */
  MatchedRules withoutReplaced(Call call) {
    MatchedRules kept = new MatchedRules();
    for (int i = 0; i < size; i++) {
      if (!isReplaced(hits[i].rule().rule.id(), call)) {
        kept.add(hits[i]);
      }
    }
    return kept;
  }

  private boolean isReplaced(String id, Call call) {
    for (int i = 0; i < size; i++) {
      CompiledRule rule = hits[i].rule();
      if (rule.rule.replaces().contains(id) && rule.isEnforced(call, hits[i].route())) {
        return true;
      }
    }
    return false;
  }
}
