package io.weir.redis;

import io.weir.redis.RedisOptions.Credentials;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Address and topology of a Redis deployment.
 *
 * <pre>
 *   redis://[[user]:password@]host[:port][/db]             one Redis
 *   redis-sentinel://master@host[:port],host…[/db]         the master that Sentinels name
 *   redis-cluster://[[user]:password@]host[:port],host…    a Redis Cluster
 *   redis-ring://[[user]:password@]host[:port],host…[/db]  independent nodes
 * </pre>
 *
 * With {@code rediss} instead of {@code redis}, each is the same over TLS.
 *
 * @param master the name of the master, for Sentinel; else empty
 * @param credentials those in the text, if any
 */
public record RedisAddress(
    Topology topology,
    boolean tls,
    List<Node> nodes,
    int database,
    String master,
    Credentials credentials) {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]+");
  private static final Pattern IPV6 = Pattern.compile("\\[[0-9A-Fa-f:.]+]");

  /** The kind of deployment at an address. */
  public enum Topology {
    SINGLE("redis", 6379),
    SENTINEL("redis-sentinel", 26379),
    CLUSTER("redis-cluster", 6379),
    RING("redis-ring", 6379);

    private final String scheme;
    private final int port;

    Topology(String scheme, int port) {
      this.scheme = scheme;
      this.port = port;
    }
  }

  /** One Redis process. */
  public record Node(String host, int port) {
    @Override
    public String toString() {
      return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
  }

  public RedisAddress {
    nodes = List.copyOf(nodes);
  }

  /**
   * Parses an address.
   *
   * @throws IllegalArgumentException if the text is not an address; the message has the reason but
   *     not the password
   */
  public static RedisAddress parse(String text) {
    int mark = text.indexOf("://");
    if (mark < 0) {
      throw new IllegalArgumentException(
          "a Redis address begins with redis://, rediss://, redis-sentinel://, redis-cluster:// or"
              + " redis-ring://");
    }
    String scheme = text.substring(0, mark).toLowerCase(Locale.ROOT);
    boolean tls = scheme.startsWith("rediss");
    Topology topology = topology(tls ? "redis" + scheme.substring(6) : scheme);
    String rest = text.substring(mark + 3);
    int at = rest.lastIndexOf('@');
    String userInfo = at < 0 ? "" : rest.substring(0, at);
    String where = rest.substring(at + 1);
    int slash = where.indexOf('/');
    int database = slash < 0 ? 0 : database(topology, where.substring(slash + 1));
    List<Node> nodes = nodes(topology, slash < 0 ? where : where.substring(0, slash));
    if (topology == Topology.SENTINEL) {
      if (userInfo.isEmpty()) {
        throw new IllegalArgumentException(
            "the master's name is missing: redis-sentinel://MASTER@host:port,…");
      }
      return new RedisAddress(topology, tls, nodes, database, master(userInfo), Credentials.NONE);
    }
    return new RedisAddress(topology, tls, nodes, database, "", credentials(userInfo));
  }

  private static Topology topology(String scheme) {
    for (Topology topology : Topology.values()) {
      if (topology.scheme.equals(scheme)) {
        return topology;
      }
    }
    throw new IllegalArgumentException("unknown kind of Redis address: " + scheme + "://");
  }

  /**
   * Sentinels accept no other names. The text is not shown, as it may be a password put here by
   * mistake.
   */
  private static String master(String userInfo) {
    if (!NAME.matcher(userInfo).matches()) {
      throw new IllegalArgumentException(
          "a master's name is letters, digits, '.', '-' and '_'; a user or password is not allowed in"
              + " a redis-sentinel:// address");
    }
    return userInfo;
  }

  private static Credentials credentials(String userInfo) {
    if (userInfo.isEmpty()) {
      return Credentials.NONE;
    }
    int colon = userInfo.indexOf(':');
    return colon < 0
        ? new Credentials("", decode(userInfo))
        : new Credentials(
            decode(userInfo.substring(0, colon)), decode(userInfo.substring(colon + 1)));
  }

  private static String decode(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      // The message of e would quote the text.
      throw new IllegalArgumentException(
          "invalid percent-encoding in the user or password; write % as %25");
    }
  }

  private static int database(Topology topology, String text) {
    if (text.isEmpty()) {
      return 0;
    }
    if (topology == Topology.CLUSTER) {
      throw new IllegalArgumentException("a Redis Cluster has only database 0");
    }
    return number(text, "database", 0, 1_000_000);
  }

  private static List<Node> nodes(Topology topology, String text) {
    List<Node> nodes = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      nodes.add(node(topology, part.strip()));
    }
    if (topology == Topology.SINGLE && nodes.size() > 1) {
      throw new IllegalArgumentException(
          "redis:// takes one node; for several use redis-cluster://, redis-sentinel:// or"
              + " redis-ring://");
    }
    if (nodes.stream().distinct().count() < nodes.size()) {
      throw new IllegalArgumentException("a node is named twice in " + text);
    }
    return nodes;
  }

  private static Node node(Topology topology, String text) {
    int bracket = text.indexOf(']');
    int colon = text.indexOf(':', Math.max(bracket, 0));
    String host = host(colon < 0 ? text : text.substring(0, colon));
    int port = colon < 0 ? topology.port : number(text.substring(colon + 1), "port", 1, 65_535);
    return new Node(host, port);
  }

  private static String host(String text) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException("a host is missing");
    }
    if (IPV6.matcher(text).matches()) {
      return text.substring(1, text.length() - 1);
    }
    if (!NAME.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "a host is a name or an address, such as redis-1.example, 10.0.0.1 or [::1], and nothing"
              + " follows it but a port and a database");
    }
    return text;
  }

  private static int number(String text, String what, int least, int most) {
    try {
      int number = Integer.parseInt(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Reported below, with the same message as a number out of range.
    }
    // The text is not shown: if the host was forgotten, it is a password.
    throw new IllegalArgumentException(
        "the " + what + " is not a whole number from " + least + " to " + most);
  }

  /** The address without its password. */
  @Override
  public String toString() {
    StringBuilder text =
        new StringBuilder(topology.scheme.replaceFirst("^redis", tls ? "rediss" : "redis"));
    text.append("://").append(master).append(master.isEmpty() ? "" : "@");
    for (int i = 0; i < nodes.size(); i++) {
      text.append(i == 0 ? "" : ",").append(nodes.get(i));
    }
    return database == 0 ? text.toString() : text.append('/').append(database).toString();
  }
}
