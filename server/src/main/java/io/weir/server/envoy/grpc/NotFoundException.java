package io.weir.server.envoy.grpc;

/** A request for something that does not exist. */
final class NotFoundException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NotFoundException(String reason) {
    super(reason, null, false, false);
  }
}
