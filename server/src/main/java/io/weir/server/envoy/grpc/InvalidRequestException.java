package io.weir.server.envoy.grpc;

/**
 * A question that cannot be answered for what it says. Has no stack trace, as it is the caller's
 * mistake and not ours.
 */
public final class InvalidRequestException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public InvalidRequestException(String reason) {
    super(reason, null, false, false);
  }
}
