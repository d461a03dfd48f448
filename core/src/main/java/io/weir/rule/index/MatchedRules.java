package io.weir.rule.index;

import io.weir.Call;
import java.util.Arrays;

/** The rules that apply to one call, in document order, each once. */
final class MatchedRules {
  private PathMatch[] matches = new PathMatch[4];
  private int size;
  private int examined;

  /** How many rules were examined, for tests of the index. */
  int examined() {
    return examined;
  }

  int size() {
    return size;
  }

  PathMatch get(int i) {
    return matches[i];
  }

  /** Adds those rules whose other conditions match the call. */
  void addAll(PathMatch[] some, Call call) {
    examined += some.length;
    for (PathMatch match : some) {
      if (match.rule().appliesApartFromPath(call)) {
        add(match);
      }
    }
  }

  /** Adds rules that apply to every call. */
  void addAll(PathMatch[] some) {
    examined += some.length;
    for (PathMatch match : some) {
      add(match);
    }
  }

  private void add(PathMatch match) {
    int at = size;
    while (at > 0 && match.comesBefore(matches[at - 1])) {
      at--;
    }
    if (at > 0 && matches[at - 1].rule() == match.rule()) {
      return;
    }
    if (at < size && matches[at].rule() == match.rule()) {
      matches[at] = match;
      return;
    }
    if (size == matches.length) {
      matches = Arrays.copyOf(matches, 2 * size);
    }
    System.arraycopy(matches, at, matches, at + 1, size - at);
    matches[at] = match;
    size++;
  }

  /** These rules without those that have expired; itself if none has. */
  MatchedRules withoutExpired(long wallMicros) {
    for (int i = 0; i < size; i++) {
      if (matches[i].rule().hasExpired(wallMicros)) {
        return filtered(wallMicros);
      }
    }
    return this;
  }

  private MatchedRules filtered(long wallMicros) {
    MatchedRules kept = new MatchedRules();
    for (int i = 0; i < size; i++) {
      if (!matches[i].rule().hasExpired(wallMicros)) {
        kept.add(matches[i]);
      }
    }
    return kept;
  }

  /** These rules without those that another one replaces, if that one is enforced for this call. */
  MatchedRules withoutReplaced(Call call) {
    MatchedRules kept = new MatchedRules();
    for (int i = 0; i < size; i++) {
      if (!isReplaced(matches[i].rule().rule.id(), call)) {
        kept.add(matches[i]);
      }
    }
    return kept;
  }

  private boolean isReplaced(String id, Call call) {
    for (int i = 0; i < size; i++) {
      CompiledRule rule = matches[i].rule();
      if (rule.rule.replaces().contains(id) && rule.isEnforced(call, matches[i].route())) {
        return true;
      }
    }
    return false;
  }
}
