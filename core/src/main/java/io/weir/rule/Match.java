package io.weir.rule;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which calls a rule is about. Every part that says something must hold; one that says nothing
 * holds for all.
 *
 * @param paths any of these
 * @param methods any of these; HEAD counts as GET
 * @param hosts any of these; {@code *.example.com} stands for every name below
 * @param attributes each of these must have one of the values
 * @param absent none of these attributes may be there
 */
public record Match(
    List<PathPattern> paths,
    Set<String> methods,
    Set<String> hosts,
    Map<String, Set<String>> attributes,
    Set<String> absent) {
  /** Every call. */
  public static final Match ALL = new Match(List.of(), Set.of(), Set.of(), Map.of(), Set.of());

  public Match {
    paths = List.copyOf(paths);
    methods = Set.copyOf(methods);
    hosts = Set.copyOf(hosts);
    attributes = Map.copyOf(attributes);
    absent = Set.copyOf(absent);
  }

  /** Calls to these paths. */
  public static Match path(String... patterns) {
    return ALL.andPath(patterns);
  }

  /** The same, only for these paths. */
  public Match andPath(String... patterns) {
    List<PathPattern> parsed = java.util.Arrays.stream(patterns).map(PathPattern::of).toList();
    return new Match(parsed, methods, hosts, attributes, absent);
  }

  /** The same, only for these methods. */
  public Match andMethod(String... names) {
    return new Match(paths, Set.of(names), hosts, attributes, absent);
  }

  /** The same, only for these hosts. */
  public Match andHost(String... names) {
    return new Match(paths, methods, Set.of(names), attributes, absent);
  }

  /** The same, only where an attribute has one of these values. */
  public Match andAttribute(String name, String... values) {
    Map<String, Set<String>> more = new LinkedHashMap<>(attributes);
    more.put(name, Set.of(values));
    return new Match(paths, methods, hosts, more, absent);
  }

  /** The same, only where these attributes are missing. */
  public Match andAbsent(String... names) {
    return new Match(paths, methods, hosts, attributes, Set.of(names));
  }
}
