package io.weir;

import io.weir.base.ExactNumbers;
import io.weir.base.NormalizedMethod;
import io.weir.base.NormalizedPath;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request to be decided: its method, path and host, attributes such as {@code ip}, {@code user}
 * or {@code tenant}, and its cost. Immutable.
 *
 * <pre>{@code
 * Call call = Call.of("POST", "/payments").with("user", "42").with("ip", "192.0.2.7");
 * }</pre>
 */
public final class Call {
  /**
   * The highest cost of a call: the largest whole number that Java and Redis both represent
   * exactly.
   */
  public static final long MAX_COST = ExactNumbers.EXACT - 1;

  private static final String[] NONE = {};

  private final String method;
  private final String path;
  private final String host;
  private final String[] attributes;
  private final long cost;
  private @Nullable String normalPath;

  private Call(String method, String path, String host, String[] attributes, long cost) {
    this.method = method;
    this.path = path;
    this.host = host;
    this.attributes = attributes;
    this.cost = cost;
  }

  /**
   * A call that costs 1 and has no attributes yet.
   *
   * @param method in any case
   * @throws IllegalArgumentException if the path does not begin with a slash: no rule with a path
   *     would match it, and the call would pass without that limit
   */
  public static Call of(String method, String path) {
    if (path.isEmpty() || path.charAt(0) != '/') {
      throw new IllegalArgumentException("path must begin with '/'");
    }
    return new Call(NormalizedMethod.of(method), path, "", NONE, 1);
  }

  /** This call with an attribute set. A second value for a name replaces the first. */
  public Call with(String name, String value) {
    String[] changed = attributes;
    for (int i = 0; i < attributes.length; i += 2) {
      if (attributes[i].equals(name)) {
        changed = attributes.clone();
        changed[i + 1] = value;
        return new Call(method, path, host, changed, cost);
      }
    }
    changed = Arrays.copyOf(attributes, attributes.length + 2);
    changed[attributes.length] = name;
    changed[attributes.length + 1] = value;
    return new Call(method, path, host, changed, cost);
  }

  /** This call with all these attributes set. */
  public Call with(Map<String, String> more) {
    Map<String, String> merged = new LinkedHashMap<>(attributes());
    merged.putAll(more);
    String[] flat = new String[2 * merged.size()];
    int i = 0;
    for (Map.Entry<String, String> entry : merged.entrySet()) {
      flat[i++] = entry.getKey();
      flat[i++] = entry.getValue();
    }
    return new Call(method, path, host, flat, cost);
  }

  /** This call with a host. */
  public Call host(String host) {
    return new Call(method, path, host, attributes, cost);
  }

  /**
   * This call with another cost; the default is 1. A cost of 0 takes nothing.
   *
   * @throws IllegalArgumentException if the cost is negative or above {@link #MAX_COST}
   */
  public Call cost(long cost) {
    ExactNumbers.cost(cost);
    return new Call(method, path, host, attributes, cost);
  }

  /** The method, in upper case. */
  public String method() {
    return method;
  }

  /** The path as sent. */
  public String path() {
    return path;
  }

  /** The normalized path, which rules match; see {@link NormalizedPath}. */
  public String normalPath() {
    String normal = normalPath;
    if (normal == null) {
      normal = NormalizedPath.of(path);
      normalPath = normal;
    }
    return normal;
  }

  /** The host, empty if unknown. */
  public String host() {
    return host;
  }

  public long cost() {
    return cost;
  }

  /** The value of an attribute, or null. An empty value counts as absent. */
  public @Nullable String attribute(String name) {
    for (int i = 0; i < attributes.length; i += 2) {
      if (attributes[i].equals(name)) {
        return attributes[i + 1].isEmpty() ? null : attributes[i + 1];
      }
    }
    return null;
  }

  /** All attributes, in the order in which they were set. */
  public Map<String, String> attributes() {
    Map<String, String> map = new LinkedHashMap<>();
    for (int i = 0; i < attributes.length; i += 2) {
      map.put(attributes[i], attributes[i + 1]);
    }
    return map;
  }

  @Override
  public String toString() {
    return method + " " + host + path + " " + attributes().keySet() + " cost " + cost;
  }
}
