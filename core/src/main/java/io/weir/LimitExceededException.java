package io.weir;

/**
 * Thrown by {@link Limiter#acquire} if the limit will not admit the call within the time it may
 * wait.
 */
public final class LimitExceededException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Decision decision;

  LimitExceededException(Decision decision) {
    super("limit exceeded: " + decision);
    this.decision = decision;
  }

  /** The decision that refused the call, with its retry-after. */
  public Decision decision() {
    return decision;
  }

  /** Omits the stack trace: a refusal is an expected outcome, and traces are slow. */
  @Override
  public Throwable fillInStackTrace() {
    return this;
  }
}
