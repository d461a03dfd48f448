package io.weir.http;

import java.util.List;

/** The head of a request as the server received it; none of it is trusted. */
public interface RequestHead {
  /** The actual method; override headers are ignored. */
  String method();

  /** The path as sent, or the whole target with scheme and host; the query is ignored. */
  String path();

  /** The requested host; empty if unknown. */
  String host();

  /** The address of the connection's peer; empty if it has none. */
  String peer();

  /** All values of a header in order, one for each header line; the name is in lower case. */
  List<String> headers(String name);
}
