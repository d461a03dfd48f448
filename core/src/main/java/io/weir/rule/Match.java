package io.weir.rule;

import static java.util.stream.Collectors.toUnmodifiableSet;

import io.weir.Call;
import io.weir.NormalizedMethod;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which calls a rule is about. Every part that says something must hold; one that says nothing
 * holds for all.
 *
 * @param paths any of these
 * @param methods any of these, in any case; HEAD counts as GET
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
    methods = methods.stream().map(NormalizedMethod::of).collect(toUnmodifiableSet());
    hosts = hosts.stream().map(Match::hostOf).collect(toUnmodifiableSet());
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

  /** Whether nothing but the path can keep this from holding. */
  public boolean isPathOnly() {
    return methods.isEmpty() && hosts.isEmpty() && attributes.isEmpty() && absent.isEmpty();
  }

  /** Whether everything but the path holds for a call. */
  public boolean holdsApartFromPath(Call call) {
    return holdsForMethod(call)
        && holdsForHost(call)
        && holdsForAttributes(call)
        && holdsForAbsent(call);
  }

  /** Whether all of it holds for a call. */
  public boolean holds(Call call) {
    return holdsForPath(call) && holdsApartFromPath(call);
  }

  public boolean holdsForPath(Call call) {
    if (paths.isEmpty()) {
      return true;
    }
    for (PathPattern pattern : paths) {
      if (pattern.matches(call.normalPath())) {
        return true;
      }
    }
    return false;
  }

  public boolean holdsForMethod(Call call) {
    return methods.isEmpty() || methods.contains(methodOf(call));
  }

  /** The method of a call, in upper case; HEAD counts as GET. */
  public static String methodOf(Call call) {
    return call.method().equals("HEAD") ? "GET" : call.method();
  }

  public boolean holdsForHost(Call call) {
    if (hosts.isEmpty()) {
      return true;
    }
    String host = hostOf(call);
    if (hosts.contains(host)) {
      return true;
    }
    for (int dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
      if (hosts.contains("*" + host.substring(dot))) {
        return true;
      }
    }
    return false;
  }

  /** The host's name in lower case, without port or trailing dot. */
  public static String hostOf(Call call) {
    return hostOf(call.host());
  }

  private static String hostOf(String text) {
    String host = text;
    int colon = host.lastIndexOf(':');
    boolean bareAddress = host.indexOf(':') != colon && !host.startsWith("[");
    if (colon > host.indexOf(']') && !bareAddress) {
      host = host.substring(0, colon);
    }
    if (host.endsWith(".")) {
      host = host.substring(0, host.length() - 1);
    }
    return host.toLowerCase(java.util.Locale.ROOT);
  }

  public boolean holdsForAttributes(Call call) {
    for (Map.Entry<String, Set<String>> wanted : attributes.entrySet()) {
      String value = call.attribute(wanted.getKey());
      if (value == null || !wanted.getValue().contains(value)) {
        return false;
      }
    }
    return true;
  }

  public boolean holdsForAbsent(Call call) {
    for (String name : absent) {
      if (call.attribute(name) != null) {
        return false;
      }
    }
    return true;
  }
}
