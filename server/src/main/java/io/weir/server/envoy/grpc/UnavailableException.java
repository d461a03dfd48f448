package io.weir.server.envoy.grpc;

/** Nothing is wrong with a question, but it cannot be answered now. */
public final class UnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UnavailableException(String reason) {
    super(reason, null, false, false);
  }
}
