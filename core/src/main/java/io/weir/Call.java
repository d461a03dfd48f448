package io.weir;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a front end saw of a request: method, path, host, attributes such as {@code ip}, {@code
 * user} or {@code tenant}, and what it costs.
 *
 * <pre>{@code
 * Call call = Call.of("POST", "/payments").with("user", "42").with("ip", "192.0.2.7");
 * }</pre>
 */
public final class Call {
  /** The most a call may cost: the largest number that stays exact everywhere. */
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
   * @throws IllegalArgumentException if the path does not begin with a slash: no rule would match
   *     it, and the call would pass without a limit
   */
  public static Call of(String method, String path) {
    if (path.isEmpty() || path.charAt(0) != '/') {
      throw new IllegalArgumentException("path must begin with '/'");
    }
    return new Call(NormalizedMethod.of(method), path, "", NONE, 1);
  }

  /** The same call with an attribute set; the last value for a name counts. */
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

  /** The same call with all these attributes. */
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

  /** The same call to a host. */
  public Call host(String host) {
    return new Call(method, path, host, attributes, cost);
  }

  /**
   * The same call at another cost. A cost of 0 looks and takes nothing.
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

  /** The path as it was sent. */
  public String path() {
    return path;
  }

  /** The one form of the path that rules match. */
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

  /** All attributes, in the order they were set. */
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
