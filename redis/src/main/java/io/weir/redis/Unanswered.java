package io.weir.redis;

/**
 * Why a node did not answer; a value that travels inside this package and never reaches a caller.
 */
final class Unanswered extends RuntimeException {
  private static final long serialVersionUID = 1L;

  Unanswered(String reason) {
    super(reason, null, false, false);
  }
}
