package io.weir.server.envoy.grpc;

/** A question about something that there is not. */
final class NotFoundException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NotFoundException(String reason) {
    super(reason, null, false, false);
  }
}
