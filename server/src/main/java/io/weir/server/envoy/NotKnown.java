package io.weir.server.envoy;

/** A question about something that there is not. */
final class NotKnown extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NotKnown(String reason) {
    super(reason, null, false, false);
  }
}
