package io.weir;

import java.time.Duration;
import java.util.Optional;

/**
 * How one limit stood when a call was decided: what it said, what is left, and when more will be
 * there.
 *
 * <p>When the call was admitted the numbers are those after it took its share, otherwise those it
 * met.
 */
public final class LimitStatus {
  /** The retry-after, in microseconds, of a limit where waiting cannot help. */
  public static final long NEVER = -1;

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
    this.source = b.source;
  }

  /** The id of the rule that holds the limit. */
  public String rule() {
    return rule;
  }

  /** The limit's own name; the rule's id where the limit is its only one. */
  public String name() {
    return name;
  }

  public Limit limit() {
    return limit;
  }

  /** Whether the limit was enforced for this key, or only watched. */
  public Mode mode() {
    return mode;
  }

  /** Whether this limit admits the call; a shadow limit can say no without refusing it. */
  public boolean allowed() {
    return allowed;
  }

  /** Whether the store that should know was heard; if not, nothing is known of this limit. */
  public boolean answered() {
    return answered;
  }

  /** Whether this was decided without the store that should have been asked. */
  public boolean degraded() {
    return degraded;
  }

  /** Who answered for this limit. */
  public DecisionSource source() {
    return source;
  }

  /** The whole number that could be taken now. */
  public long remaining() {
    return remaining;
  }

  /** Time until the key is as if never used. */
  public Duration reset() {
    return ExactNumbers.ofMicros(resetMicros);
  }

  /** Zero when admitted; empty when waiting cannot help. */
  public Optional<Duration> retryAfter() {
    return retryAfterMicros < 0
        ? Optional.empty()
        : Optional.of(ExactNumbers.ofMicros(retryAfterMicros));
  }

  /** How long an admitted call should wait before it goes; only leaky buckets ask for any. */
  public Duration delay() {
    return ExactNumbers.ofMicros(delayMicros);
  }

  /** The same numbers, decided without the store that should have been asked. */
  public LimitStatus toDegraded() {
    return edit().degraded().build();
  }

  /**
   * What this, if it is one shard of a split limit, says about the whole: as much is left in the
   * others, and they come back as soon.
   */
  public LimitStatus ofShard(Limit whole, int shards) {
    Builder builder = copiedTo(new Builder(rule, name, whole, mode));
    return builder.remaining(Math.min(whole.capacity(), remaining * shards)).build();
  }

  /** A builder that starts from this. */
  public Builder edit() {
    return copiedTo(new Builder(rule, name, limit, mode));
  }

  private Builder copiedTo(Builder builder) {
    builder
        .allowed(allowed)
        .remaining(remaining)
        .reset(resetMicros)
        .retryAfter(retryAfterMicros)
        .delay(delayMicros)
        .source(source);
    builder.answered = answered;
    builder.degraded = degraded;
    return builder;
  }

  /** {@link #reset} in microseconds. */
  public long resetMicros() {
    return resetMicros;
  }

  /** {@link #retryAfter} in microseconds; {@link #NEVER} when waiting cannot help. */
  public long retryAfterMicros() {
    return retryAfterMicros;
  }

  /** {@link #delay} in microseconds. */
  public long delayMicros() {
    return delayMicros;
  }

  /**
   * Whether this refusal is the one to tell: one without an answer first, then the longest wait.
   */
  boolean isStricterRefusalThan(LimitStatus other) {
    return answered == other.answered ? waitForRanking() > other.waitForRanking() : !answered;
  }

  /** Nobody knows when a permit comes back; callers are told a second. */
  private long waitForRanking() {
    if (retryAfterMicros >= 0) {
      return retryAfterMicros;
    }
    return limit.kind() == LimitKind.CONCURRENCY && limit.capacity() > 0
        ? 1_000_000
        : Long.MAX_VALUE;
  }

  /** Whether a smaller part of this limit is left than of the other. */
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

  /** Collects a standing; for stores. Times are in microseconds. */
  public static final class Builder {
    private final String rule;
    private final String name;
    private final Limit limit;
    private final Mode mode;
    private boolean allowed;
    private long remaining;
    private long resetMicros;
    private long retryAfterMicros;
    private long delayMicros;
    private boolean answered = true;
    private boolean degraded;
    private DecisionSource source = DecisionSource.MEMORY;

    public Builder(String rule, String name, Limit limit, Mode mode) {
      this.rule = rule;
      this.name = name;
      this.limit = limit;
      this.mode = mode;
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

    /** {@link LimitStatus#NEVER} when waiting cannot help. */
    public Builder retryAfter(long micros) {
      this.retryAfterMicros = micros;
      return this;
    }

    public Builder delay(long micros) {
      this.delayMicros = micros;
      return this;
    }

    /** The store could not be asked: refuses, and says to come back in a second. */
    public Builder unanswered() {
      this.answered = false;
      this.allowed = false;
      return degraded().retryAfter(1_000_000);
    }

    /** Decided without the store that should have been asked. */
    public Builder degraded() {
      this.degraded = true;
      return source(DecisionSource.FALLBACK);
    }

    /** Who answers; a memory table unless said otherwise. */
    public Builder source(DecisionSource source) {
      this.source = source;
      return this;
    }

    public LimitStatus build() {
      return new LimitStatus(this);
    }
  }
}
