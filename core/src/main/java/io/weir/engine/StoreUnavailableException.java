package io.weir.engine;

/** A node of the store did not answer an operator's request about a key. */
public final class StoreUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StoreUnavailableException() {
    super("the store did not answer");
  }
}
