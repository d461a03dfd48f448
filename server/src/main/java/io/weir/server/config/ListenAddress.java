package io.weir.server.config;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * The address of a listener.
 *
 * @param port 0 for any free port
 */
public record ListenAddress(String host, int port) {
  private static final String LOOPBACK = "127.0.0.1";

  public ListenAddress {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("port " + port + " is not between 0 and 65535");
    }
  }

  /**
   * Reads {@code host:port}, {@code [::1]:port}, or a port of the loopback interface.
   *
   * @throws IllegalArgumentException with a reason for people
   */
  public static ListenAddress parse(String text) {
    int colon = text.lastIndexOf(':');
    String host = colon < 0 ? LOOPBACK : text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.indexOf(':') >= 0) {
      throw new IllegalArgumentException(
          "'" + text + "' is not an address such as 127.0.0.1:8080 or [::1]:8080");
    }
    try {
      return new ListenAddress(
          host.isEmpty() ? LOOPBACK : host, Integer.parseInt(text.substring(colon + 1).strip()));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is not an address such as 127.0.0.1:8080", e);
    }
  }

  /** A copy with another port. */
  public ListenAddress port(int other) {
    return new ListenAddress(host, other);
  }

  /** Whether only this machine can reach it. */
  public boolean isLoopback() {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  @Override
  public String toString() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }
}
