package io.weir.server.envoy;

/**
 * A question that cannot be answered for what it says. Has no stack trace, as it is the caller's
 * mistake and not ours.
 */
public final class BadQuestion extends RuntimeException {
  private static final long serialVersionUID = 1L;

  BadQuestion(String reason) {
    super(reason, null, false, false);
  }
}
