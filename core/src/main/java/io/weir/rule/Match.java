package io.weir.rule;

import static java.util.stream.Collectors.toUnmodifiableSet;

import io.weir.Call;
import io.weir.base.NormalizedMethod;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The calls that a rule applies to. A call matches if all parts match; an empty part matches every
 * call.
 *
 * @param paths the path matches any of these patterns
 * @param methods the method is any of these, in any case; HEAD counts as GET
 * @param hosts the host is any of these; {@code *.example.com} matches every name below it
 * @param attributes each of these attributes has one of the given values
 * @param absent the call has none of these attributes
 */
public record Match(
    List<PathPattern> paths,
    Set<String> methods,
    Set<String> hosts,
    Map<String, Set<String>> attributes,
    Set<String> absent) {
  /** Matches every call. */
  public static final Match ALL = new Match(List.of(), Set.of(), Set.of(), Map.of(), Set.of());

  public Match {
    paths = List.copyOf(paths);
    methods = methods.stream().map(NormalizedMethod::of).collect(toUnmodifiableSet());
    hosts = hosts.stream().map(Match::hostOf).collect(toUnmodifiableSet());
    attributes = Map.copyOf(attributes);
    absent = Set.copyOf(absent);
  }

  /** Matches calls to these paths; see {@link PathPattern}. */
  public static Match path(String... patterns) {
    return ALL.andPath(patterns);
  }

  /** This match, restricted to these paths. */
  public Match andPath(String... patterns) {
    List<PathPattern> parsed = java.util.Arrays.stream(patterns).map(PathPattern::of).toList();
    return new Match(parsed, methods, hosts, attributes, absent);
  }

  /** This match, restricted to these methods. */
  public Match andMethod(String... names) {
    return new Match(paths, Set.of(names), hosts, attributes, absent);
  }

  /** This match, restricted to these hosts. */
  public Match andHost(String... names) {
    return new Match(paths, methods, Set.of(names), attributes, absent);
  }

  /** This match, restricted to calls in which an attribute has one of these values. */
  public Match andAttribute(String name, String... values) {
    Map<String, Set<String>> more = new LinkedHashMap<>(attributes);
    more.put(name, Set.of(values));
    return new Match(paths, methods, hosts, more, absent);
  }

  /** This match, restricted to calls without these attributes. */
  public Match andAbsent(String... names) {
    return new Match(paths, methods, hosts, attributes, Set.of(names));
  }

  /** Whether this match depends on the path alone. */
  public boolean isPathOnly() {
    return methods.isEmpty() && hosts.isEmpty() && attributes.isEmpty() && absent.isEmpty();
  }

  /** Whether a call matches, apart from its path. */
  public boolean holdsApartFromPath(Call call) {
    return holdsForMethod(call)
        && holdsForHost(call)
        && holdsForAttributes(call)
        && holdsForAbsent(call);
  }

  /** Whether a call matches. */
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

  /** The host name of a call in lower case, without port and trailing dot. */
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
