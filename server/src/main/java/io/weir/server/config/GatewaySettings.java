package io.weir.server.config;

import io.weir.NormalizedPath;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * What the gateway forwards where, and how patient it is.
 *
 * @param address the public port, which serves forwarded traffic and nothing else
 * @param upstreams none for no gateway
 * @param timeout how long an upstream may keep silent before and within a response
 * @param connectTimeout how long it may take to get a connection to an upstream
 * @param maxBody the largest body of a request, in bytes
 * @param connections the most connections to one upstream, in all event loops together, each of
 *     which has its part of them
 * @param waiting the most requests that wait for such a connection, in each event loop
 * @param drain how long exchanges under way are waited for when the process stops
 * @param decisions whether the ports for decisions listen beside a gateway
 */
public record GatewaySettings(
    ListenAddress address,
    List<Upstream> upstreams,
    Duration timeout,
    Duration connectTimeout,
    long maxBody,
    int connections,
    int waiting,
    Duration drain,
    boolean decisions) {
  /** No gateway. */
  public static final GatewaySettings NONE =
      new GatewaySettings(
          new ListenAddress("0.0.0.0", 8000),
          List.of(),
          Duration.ofSeconds(60),
          Duration.ofSeconds(5),
          1L << 30,
          1000,
          1000,
          Duration.ofSeconds(10),
          false);

  public GatewaySettings {
    upstreams = List.copyOf(upstreams);
  }

  /**
   * The timeout as it is counted, in whole ticks of a second: what is less than one counts as one.
   */
  public int timeoutTicks() {
    return (int) Math.max(1, timeout.plusNanos(999_999_999).toSeconds());
  }

  /** Whether there is a gateway at all. */
  public boolean isOn() {
    return !upstreams.isEmpty();
  }

  /**
   * A server behind the gateway.
   *
   * @param prefix of the paths that go there, by whole segments; {@code /} for all that go nowhere
   *     else
   * @param uri {@code http://host:port}, {@code https://…}, or {@code h2c://…} for HTTP/2 in plain
   *     text
   */
  public record Upstream(String prefix, URI uri) {
    private static final Set<String> SCHEMES = Set.of("http", "https", "h2c");

    public Upstream {
      if (!prefix.startsWith("/") || (prefix.endsWith("/") && prefix.length() > 1)) {
        throw new IllegalArgumentException("'" + prefix + "' is not a prefix such as / or /api");
      }
      String normal = NormalizedPath.of(prefix);
      if (!normal.equals(prefix)) {
        throw new IllegalArgumentException(
            "'" + prefix + "' is no beginning of a path in its normal form; say '" + normal + "'");
      }
    }

    /**
     * Reads the address of an upstream.
     *
     * @throws IllegalArgumentException with a reason in words
     */
    public static Upstream of(String prefix, String text) {
      URI uri;
      try {
        uri = URI.create(text);
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(wrong(text), e);
      }
      if (uri.getRawUserInfo() != null) {
        throw new IllegalArgumentException("an upstream has no user or password in its address");
      }
      if (uri.getScheme() == null || uri.getHost() == null || !SCHEMES.contains(uri.getScheme())) {
        throw new IllegalArgumentException(wrong(text) + withScheme(text));
      }
      String path = uri.getRawPath();
      if (path.length() > 1 || uri.getRawQuery() != null || uri.getRawFragment() != null) {
        throw new IllegalArgumentException(
            "'%s' has more than a host and a port; requests keep their own path, so write %s://%s"
                .formatted(text, uri.getScheme(), uri.getRawAuthority()));
      }
      return new Upstream(prefix, uri);
    }

    private static String wrong(String text) {
      return "'" + text + "' is not an upstream such as http://127.0.0.1:9000";
    }

    /** What is meant by a host and port alone. */
    private static String withScheme(String text) {
      return text.contains("://") || !text.matches("[A-Za-z0-9.-]+(:[0-9]+)?")
          ? ""
          : "; did you mean http://" + text + "?";
    }

    public boolean secure() {
      return uri.getScheme().equals("https");
    }

    /** Whether HTTP/2 is spoken from the first byte. */
    public boolean http2() {
      return uri.getScheme().equals("h2c");
    }

    public String host() {
      String host = uri.getHost();
      return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    public int port() {
      return uri.getPort() >= 0 ? uri.getPort() : secure() ? 443 : 80;
    }

    /** Whether a path in its normal form goes here. */
    public boolean takes(String path) {
      return prefix.equals("/")
          || (path.startsWith(prefix)
              && (path.length() == prefix.length() || path.charAt(prefix.length()) == '/'));
    }
  }

  /** The same with another port. */
  public GatewaySettings address(ListenAddress other) {
    return new GatewaySettings(
        other, upstreams, timeout, connectTimeout, maxBody, connections, waiting, drain, decisions);
  }

  /** The same with other upstreams. */
  public GatewaySettings upstreams(List<Upstream> others) {
    return new GatewaySettings(
        address, others, timeout, connectTimeout, maxBody, connections, waiting, drain, decisions);
  }

  /** The same, with or without ports for decisions. */
  public GatewaySettings decisions(boolean also) {
    return new GatewaySettings(
        address, upstreams, timeout, connectTimeout, maxBody, connections, waiting, drain, also);
  }

  /** The same with other patience. */
  public GatewaySettings patience(Duration timeout, Duration connectTimeout) {
    return new GatewaySettings(
        address,
        upstreams,
        timeout,
        connectTimeout,
        maxBody,
        connections,
        waiting,
        drain,
        decisions);
  }

  /** The same with another largest body. */
  public GatewaySettings maxBody(long bytes) {
    return new GatewaySettings(
        address, upstreams, timeout, connectTimeout, bytes, connections, waiting, drain, decisions);
  }

  /** The same with other connections to upstreams, and other queues for them. */
  public GatewaySettings connections(int most, int waiting) {
    return new GatewaySettings(
        address, upstreams, timeout, connectTimeout, maxBody, most, waiting, drain, decisions);
  }
}
