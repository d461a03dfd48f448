package io.weir.rule.index;

import io.weir.Call;
import io.weir.rule.Match;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The rules at one node of the path index. Rules that require an attribute or a host are found by
 * its value, so that a thousand rules for a thousand tenants cost no more than one.
 */
final class PathRules {
  private static final PathMatch[] NONE = {};

  private PathMatch[] always = NONE;
  private final Map<String, Map<String, PathMatch[]>> byAttribute = new TreeMap<>();
  private final Map<String, PathMatch[]> byHost = new HashMap<>();

  void add(PathMatch pathMatch) {
    Match match = pathMatch.rule().rule.match();
    if (!match.attributes().isEmpty()) {
      String name = new TreeMap<>(match.attributes()).firstKey();
      Map<String, PathMatch[]> values = byAttribute.computeIfAbsent(name, any -> new HashMap<>());
      for (String value : match.attributes().get(name)) {
        values.merge(value, new PathMatch[] {pathMatch}, PathRules::joined);
      }
    } else if (!match.hosts().isEmpty()
        && match.hosts().stream().noneMatch(host -> host.startsWith("*"))) {
      for (String host : match.hosts()) {
        byHost.merge(host, new PathMatch[] {pathMatch}, PathRules::joined);
      }
    } else {
      always = joined(always, new PathMatch[] {pathMatch});
    }
  }

  private static PathMatch[] joined(PathMatch[] some, PathMatch[] more) {
    List<PathMatch> all = new ArrayList<>(List.of(some));
    all.addAll(List.of(more));
    return all.toArray(NONE);
  }

  /** Whether all rules here apply to every call whose path leads here. */
  boolean unconditional() {
    return byAttribute.isEmpty()
        && byHost.isEmpty()
        && Arrays.stream(always).allMatch(pathMatch -> pathMatch.rule().appliesToEveryCall());
  }

  /** The number of rules here that are not found by an attribute or host. */
  int size() {
    return always.length;
  }

  /** Adds all rules, which must be {@link #unconditional}. */
  void collectAll(MatchedRules into) {
    into.addAll(always);
  }

  /** Adds the rules that apply to a call whose path leads here. */
  void collect(Call call, MatchedRules into) {
    into.addAll(always, call);
    if (!byAttribute.isEmpty()) {
      for (Map.Entry<String, Map<String, PathMatch[]>> entry : byAttribute.entrySet()) {
        String value = call.attribute(entry.getKey());
        PathMatch[] found = value == null ? null : entry.getValue().get(value);
        into.addAll(found == null ? NONE : found, call);
      }
    }
    if (!byHost.isEmpty()) {
      PathMatch[] found = byHost.get(Match.hostOf(call));
      into.addAll(found == null ? NONE : found, call);
    }
  }
}
