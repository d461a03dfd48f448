package io.weir.server.envoy.grpc;

/** An invalid request. Has no stack trace, because the error is the caller's. */
public final class InvalidRequestException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public InvalidRequestException(String reason) {
    super(reason, null, false, false);
  }
}
