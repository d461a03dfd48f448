package io.weir.rules.read;

import io.weir.rule.Match;
import io.weir.rule.PathPattern;
import io.weir.rule.PathPattern.Segment;
import io.weir.rule.Rule;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Decides whether one match covers every call that another covers.
 *
 * <p>It answers true only when that is certain, so that no warning is wrong. It misses some true
 * cases.
 */
final class MatchSubsumption {
  private MatchSubsumption() {}

  /** Whether every call that {@code rule} applies to is one that {@code other} applies to. */
  static boolean covers(Rule other, Rule rule) {
    boolean exceptsNoMore =
        other.except().isEmpty()
            || (rule.except().isPresent() && covers(rule.except().get(), other.except().get()));
    return exceptsNoMore && covers(other.match(), rule.match());
  }

  /** Whether every call that fits {@code inner} fits {@code outer}. */
  static boolean covers(Match outer, Match inner) {
    return paths(outer.paths(), inner.paths())
        && (outer.methods().isEmpty()
            || (!inner.methods().isEmpty() && outer.methods().containsAll(inner.methods())))
        && hosts(outer.hosts(), inner.hosts())
        && attributes(outer.attributes(), inner.attributes())
        && inner.absent().containsAll(outer.absent());
  }

  private static boolean paths(List<PathPattern> outer, List<PathPattern> inner) {
    if (outer.isEmpty()) {
      return true;
    }
    List<PathPattern> wanted = inner.isEmpty() ? List.of(PathPattern.EVERYTHING) : inner;
    return wanted.stream().allMatch(path -> outer.stream().anyMatch(o -> covers(o, path)));
  }

  /** Whether every path that fits {@code inner} fits {@code outer}. */
  static boolean covers(PathPattern outer, PathPattern inner) {
    List<Segment> all = outer.segments();
    if (inner.segments().size() < all.size()) {
      return false;
    }
    for (int i = 0; i < all.size(); i++) {
      if (!all.get(i).any() && !all.get(i).equals(inner.segments().get(i))) {
        return false;
      }
    }
    return outer.open() || (!inner.open() && inner.segments().size() == all.size());
  }

  private static boolean hosts(Set<String> outer, Set<String> inner) {
    return outer.isEmpty()
        || (!inner.isEmpty()
            && inner.stream()
                .allMatch(
                    host ->
                        outer.stream()
                            .anyMatch(
                                o ->
                                    o.equals(host)
                                        || (o.startsWith("*.") && host.endsWith(o.substring(1))))));
  }

  private static boolean attributes(
      Map<String, Set<String>> outer, Map<String, Set<String>> inner) {
    return outer.entrySet().stream()
        .allMatch(
            wanted -> {
              Set<String> values = inner.get(wanted.getKey());
              return values != null && wanted.getValue().containsAll(values);
            });
  }
}
