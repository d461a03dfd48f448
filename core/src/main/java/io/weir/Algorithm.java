package io.weir;

/** The seven rate limiting algorithms, with the names used in rule documents and responses. */
public enum Algorithm {
  TOKEN_BUCKET("token-bucket", 't', LimitKind.RATE),
  LEAKY_BUCKET("leaky-bucket", 'l', LimitKind.RATE),
  FIXED_WINDOW("fixed-window", 'f', LimitKind.RATE),
  SLIDING_WINDOW("sliding-window", 's', LimitKind.RATE),
  SLIDING_LOG("sliding-log", 'g', LimitKind.RATE),
  QUOTA("quota", 'q', LimitKind.QUOTA),
  CONCURRENCY("concurrency", 'c', LimitKind.CONCURRENCY);

  private final String id;
  private final char letter;
  private final LimitKind kind;

  Algorithm(String id, char letter, LimitKind kind) {
    this.id = id;
    this.letter = letter;
    this.kind = kind;
  }

  /** The name in rule documents, such as {@code sliding-window}. */
  public String id() {
    return id;
  }

  /** The letter of this algorithm in key names of the store. */
  public char letter() {
    return letter;
  }

  /** What a limit of this algorithm bounds: a rate, a quota or concurrency. */
  public LimitKind kind() {
    return kind;
  }

  /**
   * The algorithm with this name.
   *
   * @throws IllegalArgumentException if there is none; the message lists the known names
   */
  public static Algorithm of(String id) {
    StringBuilder known = new StringBuilder();
    for (Algorithm algorithm : values()) {
      if (algorithm.id.equals(id)) {
        return algorithm;
      }
      known.append(known.isEmpty() ? "" : ", ").append(algorithm.id);
    }
    throw new IllegalArgumentException("unknown algorithm '" + id + "'; there are " + known);
  }

  @Override
  public String toString() {
    return id;
  }
}
