package io.weir.server.config;

import io.weir.base.NormalizedPath;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * The upstreams, timeouts and limits of the gateway.
 *
 * @param address the public port, which serves forwarded traffic and nothing else
 * @param upstreams empty for no gateway
 * @param timeout how long an upstream may send nothing before and within a response
 * @param connectTimeout how long a connection to an upstream may take
 * @param maxBody the maximum size of a request body, in bytes
 * @param connections the maximum number of connections to one upstream, divided among the event
 *     loops
 * @param waiting the maximum number of requests that wait for such a connection, per event loop
 * @param drain how long a stop waits for requests in flight
 * @param decisions whether the data and gRPC ports are opened beside a gateway
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

  /** The timeout in ticks of 1 s, rounded up, at least one. */
  public int timeoutTicks() {
    return (int) Math.max(1, timeout.plusNanos(999_999_999).toSeconds());
  }

  /** Whether there is a gateway. */
  public boolean isOn() {
    return !upstreams.isEmpty();
  }

  /**
   * A server behind the gateway.
   *
   * @param prefix of the paths that it serves, in whole segments; {@code /} for all others
   * @param uri {@code http://host:port}, {@code https://…}, or {@code h2c://…} for HTTP/2 without
   *     TLS
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
            "'" + prefix + "' is not a normalised path; write '" + normal + "'");
      }
    }

    /**
     * Reads the address of an upstream.
     *
     * @throws IllegalArgumentException with a reason for people
     */
    public static Upstream of(String prefix, String text) {
      URI uri;
      try {
        uri = URI.create(text);
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(wrong(text), e);
      }
      if (uri.getRawUserInfo() != null) {
        throw new IllegalArgumentException(
            "an upstream address must not contain a user or password");
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

    /** A suggestion for a host and port without a scheme. */
    private static String withScheme(String text) {
      return text.contains("://") || !text.matches("[A-Za-z0-9.-]+(:[0-9]+)?")
          ? ""
          : "; did you mean http://" + text + "?";
    }

    public boolean secure() {
      return uri.getScheme().equals("https");
    }

    /** Whether the upstream uses HTTP/2 with prior knowledge. */
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

    /** Whether it serves a normalised path. */
    public boolean serves(String path) {
      return prefix.equals("/")
          || (path.startsWith(prefix)
              && (path.length() == prefix.length() || path.charAt(prefix.length()) == '/'));
    }
  }

  /** A copy with another address. */
  public GatewaySettings address(ListenAddress other) {
    return new GatewaySettings(
        other, upstreams, timeout, connectTimeout, maxBody, connections, waiting, drain, decisions);
  }

  /** A copy with other upstreams. */
  public GatewaySettings upstreams(List<Upstream> others) {
    return new GatewaySettings(
        address, others, timeout, connectTimeout, maxBody, connections, waiting, drain, decisions);
  }

  /** A copy with or without data and gRPC ports. */
  public GatewaySettings decisions(boolean also) {
    return new GatewaySettings(
        address, upstreams, timeout, connectTimeout, maxBody, connections, waiting, drain, also);
  }

  /** A copy with other timeouts. */
  public GatewaySettings timeouts(Duration timeout, Duration connectTimeout) {
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

  /** A copy with another maximum body size. */
  public GatewaySettings maxBody(long bytes) {
    return new GatewaySettings(
        address, upstreams, timeout, connectTimeout, bytes, connections, waiting, drain, decisions);
  }

  /** A copy with other maximum numbers of connections and waiting requests. */
  public GatewaySettings connections(int most, int waiting) {
    return new GatewaySettings(
        address, upstreams, timeout, connectTimeout, maxBody, most, waiting, drain, decisions);
  }
}
