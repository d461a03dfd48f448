package io.weir.http;

import java.util.List;

/** What a server saw of a request before its body, none of it believed yet. */
public interface RequestHead {
  /** The real method, whatever an override header says. */
  String method();

  /**
   * The path as it was sent, or the whole target with scheme and host; what comes after {@code ?}
   * does not matter.
   */
  String path();

  /** The host that was asked for, empty if unknown. */
  String host();

  /** The address at the other end of the connection; empty if it has none. */
  String peer();

  /** All values of a header, one for each line it came in, in order; the name is in lower case. */
  List<String> headers(String name);
}
