package io.weir.server.envoy;

/** Nothing is wrong with a question, but it cannot be answered now. */
public final class Unavailable extends RuntimeException {
  private static final long serialVersionUID = 1L;

  Unavailable(String reason) {
    super(reason, null, false, false);
  }
}
