package io.weir;

import io.weir.base.Micros;
import java.time.Duration;
import java.util.Optional;

/**
 * The status of one limit in a decision: whether it admits the call, what remains, and when to
 * retry.
 *
 * <p>If the call was admitted, the numbers include its cost; otherwise they are those before the
 * call.
 */
public final class LimitStatus {
  private final String rule;
  private final String name;
  private final Limit limit;
  private final Mode mode;
  private final boolean allowed;
  private final long remaining;
  private final long resetMicros;
  private final long retryAfterMicros;
  private final long delayMicros;
  private final boolean answered;
  private final boolean degraded;
  private final boolean hidden;
  private final DecisionSource source;

  private LimitStatus(Builder b) {
    this.rule = b.rule;
    this.name = b.name;
    this.limit = b.limit;
    this.mode = b.mode;
    this.allowed = b.allowed;
    this.remaining = b.remaining;
    this.resetMicros = b.resetMicros;
    this.retryAfterMicros = b.retryAfterMicros;
    this.delayMicros = b.delayMicros;
    this.answered = b.answered;
    this.degraded = b.degraded;
    this.hidden = b.hidden;
    this.source = b.source;
  }

  /** The id of the rule that holds the limit. */
  public String rule() {
    return rule;
  }

  /**
   * The name of the limit; by default the rule's id, with a number if the rule has several limits.
   */
  public String name() {
    return name;
  }

  public Limit limit() {
    return limit;
  }

  /** Whether the limit is enforced for this key, or in shadow mode. */
  public Mode mode() {
    return mode;
  }

  /** Whether this limit admits the call. If a limit in shadow mode does not, the call may pass. */
  public boolean allowed() {
    return allowed;
  }

  /**
   * Whether this limit could be checked. If not, because the store was unavailable, the numbers
   * mean nothing.
   */
  public boolean answered() {
    return answered;
  }

  /** Whether this was decided by the rule's {@link OnFail}, because the store was unavailable. */
  public boolean degraded() {
    return degraded;
  }

  /** Whether the rule has {@code headers: hidden}: callers do not see this limit. */
  public boolean hidden() {
    return hidden;
  }

  /** Whether the call is over a limit that marks calls and never refuses them. */
  public boolean isOver() {
    return mode == Mode.MARK && !allowed && answered;
  }

  /** Where the decision of this limit came from. */
  public DecisionSource source() {
    return source;
  }

  /** The cost that the limit would still admit now. */
  public long remaining() {
    return remaining;
  }

  /** Time until the limit is fully restored for this key, if nothing else is taken. */
  public Duration reset() {
    return Micros.toDuration(resetMicros);
  }

  /** How long to wait before a retry: zero if admitted, empty if waiting cannot help. */
  public Optional<Duration> retryAfter() {
    return retryAfterMicros < 0
        ? Optional.empty()
        : Optional.of(Micros.toDuration(retryAfterMicros));
  }

  /** How long an admitted call should wait before it proceeds; zero for all but leaky buckets. */
  public Duration delay() {
    return Micros.toDuration(delayMicros);
  }

  /** A builder with the values of this status; for stores. */
  public Builder edit() {
    Builder builder =
        new Builder(rule, name, limit, mode)
            .allowed(allowed)
            .remaining(remaining)
            .reset(resetMicros)
            .retryAfter(retryAfterMicros)
            .delay(delayMicros)
            .source(source);
    builder.answered = answered;
    builder.degraded = degraded;
    builder.hidden = hidden;
    return builder;
  }

  /** {@link #reset} in microseconds. */
  public long resetMicros() {
    return resetMicros;
  }

  /** {@link #retryAfter} in microseconds; −1 if waiting cannot help. */
  public long retryAfterMicros() {
    return retryAfterMicros;
  }

  /** {@link #delay} in microseconds. */
  public long delayMicros() {
    return delayMicros;
  }

  /**
   * Whether this refusal takes precedence in a decision: an unavailable limit first, then the
   * longest wait.
   */
  boolean isStricterRefusalThan(LimitStatus other) {
    return answered == other.answered ? waitForRanking() > other.waitForRanking() : !answered;
  }

  /**
   * A permit has no known time of release, so it ranks as a wait of 1 s, which responses state too.
   */
  private long waitForRanking() {
    if (retryAfterMicros >= 0) {
      return retryAfterMicros;
    }
    return limit.kind() == LimitKind.CONCURRENCY && limit.capacity() > 0
        ? 1_000_000
        : Long.MAX_VALUE;
  }

  /** Whether a smaller fraction of this limit remains than of the other. */
  boolean isTighterThan(LimitStatus other) {
    double mine = (double) remaining / Math.max(1, limit.capacity());
    double theirs = (double) other.remaining / Math.max(1, other.limit.capacity());
    return mine < theirs;
  }

  @Override
  public String toString() {
    return name
        + (allowed ? " admits, " : " refuses, ")
        + remaining
        + " of "
        + limit.capacity()
        + " left";
  }

  /** Builds a status; for stores. Times are in microseconds. */
  public static final class Builder {
    private final String rule;
    private final String name;
    private final Mode mode;
    private Limit limit;
    private boolean allowed;
    private long remaining;
    private long resetMicros;
    private long retryAfterMicros;
    private long delayMicros;
    private boolean answered = true;
    private boolean degraded;
    private boolean hidden;
    private DecisionSource source = DecisionSource.MEMORY;

    public Builder(String rule, String name, Limit limit, Mode mode) {
      this.rule = rule;
      this.name = name;
      this.limit = limit;
      this.mode = mode;
    }

    /** Another limit, such as the whole of which the status is that of a shard. */
    public Builder limit(Limit limit) {
      this.limit = limit;
      return this;
    }

    public Builder allowed(boolean allowed) {
      this.allowed = allowed;
      return this;
    }

    public Builder remaining(long remaining) {
      this.remaining = remaining;
      return this;
    }

    public Builder reset(long micros) {
      this.resetMicros = micros;
      return this;
    }

    /** −1 if waiting cannot help. */
    public Builder retryAfter(long micros) {
      this.retryAfterMicros = micros;
      return this;
    }

    public Builder delay(long micros) {
      this.delayMicros = micros;
      return this;
    }

    /** The store is unavailable: refuses, with a retry-after of 1 s. */
    public Builder unanswered() {
      this.answered = false;
      this.allowed = false;
      return degraded().retryAfter(1_000_000);
    }

    /** Decided by the rule's {@link OnFail}, because the store was unavailable. */
    public Builder degraded() {
      this.degraded = true;
      return source(DecisionSource.FALLBACK);
    }

    /** Whether callers do not see this limit; false by default. */
    public Builder hidden(boolean hidden) {
      this.hidden = hidden;
      return this;
    }

    /** Where the decision comes from; {@link DecisionSource#MEMORY} by default. */
    public Builder source(DecisionSource source) {
      this.source = source;
      return this;
    }

    public LimitStatus build() {
      return new LimitStatus(this);
    }
  }
}
