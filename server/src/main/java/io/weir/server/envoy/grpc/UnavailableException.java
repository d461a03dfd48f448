package io.weir.server.envoy.grpc;

/** A valid request that cannot be decided now: the process is overloaded or a store is down. */
public final class UnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UnavailableException(String reason) {
    super(reason, null, false, false);
  }
}
