package io.weir;

/**
 * Thrown by {@link Limiter#acquire} when a key will not have what was asked for within the time to
 * wait.
 */
public final class LimitExceededException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Decision decision;

  LimitExceededException(Decision decision) {
    super("limit exceeded: " + decision);
    this.decision = decision;
  }

  /** The decision that refused, with when to try again. */
  public Decision decision() {
    return decision;
  }

  /** No stack trace: being refused is part of the day. */
  @Override
  public Throwable fillInStackTrace() {
    return this;
  }
}
