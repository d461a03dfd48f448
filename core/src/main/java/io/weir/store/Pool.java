package io.weir.store;

import io.weir.Key;
import io.weir.Limit;
import io.weir.OnFail;
import io.weir.Ratio;
import io.weir.limit.LimitDivision;
import io.weir.limit.Meter;
import java.util.Objects;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The buckets of one limit of one rule; a key selects one of them.
 *
 * <p>A pool is identified by the rule's id, the limit's name or position within the rule, and the
 * algorithm. Its numbers may change while every bucket keeps its state.
 */
public final class Pool {
  private static final int WHOLE = -1;

  private final String rule;
  private final String name;
  private final String slot;
  private final Meter meter;
  private final PoolOptions options;
  private final long saltHigh;
  private final long saltLow;
  private final long leaseCap;
  private final boolean hidden;

  /** The shards of this pool, or the sharded pool that this is a shard of; null for most pools. */
  private final @Nullable ShardedPool shardedPool;

  /** The number of this shard; −1 for a whole pool. */
  private final int shard;

  private volatile @Nullable Attachment attachment;

  /**
   * A pool.
   *
   * @param name the limit's name, as shown to users
   * @param slot tells the rule's limits apart and stays when numbers change: a name or an ordinal
   * @param countDenied whether refusals count
   */
  public Pool(String rule, String name, String slot, Limit limit, boolean countDenied) {
    this(
        rule,
        name,
        limit.algorithm().letter() + slot,
        Meter.of(limit),
        PoolOptions.of(countDenied),
        null,
        WHOLE);
  }

  private Pool(
      String rule,
      String name,
      String slot,
      Meter meter,
      PoolOptions options,
      @Nullable ShardedPool shardedPool,
      int shard) {
    this.rule = rule;
    this.name = name;
    this.slot = slot;
    this.meter = meter;
    this.options = options;
    this.leaseCap = options.leaseCap();
    this.hidden = options.hidden();
    this.shardedPool = shardedPool;
    this.shard = shard;
    Key salt = Key.of(rule, slot);
    this.saltHigh = salt.high();
    this.saltLow = salt.low();
  }

  private Pool with(PoolOptions options) {
    return new Pool(rule, name, slot, meter, options, null, WHOLE);
  }

  /**
   * The same pool, divided into shards; to be called last. A store is only called with its shards.
   *
   * @param leaseCap how many tokens of a shard may be out on lease at once
   */
  public Pool sharded(LimitDivision division, ToLongFunction<Limit> leaseCap) {
    ShardedPool shardedPool = new ShardedPool(this, division, leaseCap);
    return new Pool(rule, name, slot, meter, options, shardedPool, WHOLE);
  }

  /** A shard of this pool. */
  Pool shard(ShardedPool of, int number, String mark, Limit part, long leaseCap) {
    return new Pool(
        rule, name, slot + mark, Meter.of(part), options.withLeaseCap(leaseCap), of, number);
  }

  /** Whether this pool is divided into shards, or is a shard. */
  public boolean isSharded() {
    return shardedPool != null;
  }

  /**
   * The shards of this pool, or the sharded pool that this is a shard of; only if {@link
   * #isSharded}.
   */
  public ShardedPool shardedPool() {
    return Objects.requireNonNull(shardedPool, "not sharded");
  }

  /** The number of this shard, from 0; −1 for a whole pool. */
  public int shard() {
    return shard;
  }

  /** This pool or the shard of it with this slot. */
  public Optional<Pool> find(String wanted) {
    if (shardedPool == null) {
      return slot.equals(wanted) ? Optional.of(this) : Optional.empty();
    }
    return Optional.ofNullable(shardedPool.find(wanted));
  }

  /** The same pool, kept in this process only. */
  public Pool keptLocally() {
    return with(options.keptLocally());
  }

  /** Whether this pool is kept in this process, with any store. */
  public boolean isLocal() {
    return options.local();
  }

  /** The same pool on the wall clock, for local stand-ins of shared pools. */
  public Pool onWall() {
    return new Pool(rule, name, slot, meter.onWall(), options, shardedPool, shard);
  }

  /** The same pool for a rule whose keys begin with this dimension, such as {@code user}. */
  public Pool withDimension(String dimension) {
    return with(options.withDimension(dimension));
  }

  /**
   * The dimension that keys begin with; empty for a rule with a single bucket. Buckets of equal
   * subjects are placed on the same node.
   */
  public String subject() {
    return options.subject();
  }

  /** The same pool with another {@code on_fail}. */
  public Pool onFail(OnFail onFail) {
    return onFail(onFail, options.localFactor());
  }

  /**
   * The same pool with another {@code on_fail}.
   *
   * @param localFactor multiplies this instance's share while the store is unavailable
   */
  public Pool onFail(OnFail onFail, Ratio localFactor) {
    return with(options.onFail(onFail, localFactor));
  }

  /** The decision while the store is unavailable. */
  public OnFail onFail() {
    return options.onFail();
  }

  /** The factor for this instance's share while the store is unavailable. */
  public Ratio localFactor() {
    return options.localFactor();
  }

  /** The same pool, whose limit callers see or do not see. */
  public Pool hidden(boolean hidden) {
    return with(options.hidden(hidden));
  }

  /** Whether callers do not see the limit. */
  public boolean isHidden() {
    return hidden;
  }

  /** The same pool, where this many of a bucket's tokens may be out on lease at once. */
  public Pool withLeaseCap(long leaseCap) {
    return with(options.withLeaseCap(leaseCap));
  }

  /**
   * How many of a bucket's tokens may be out on lease at once; 0 if every draw goes to the store.
   */
  public long leaseCap() {
    return leaseCap;
  }

  /** The rule's id. */
  public String rule() {
    return rule;
  }

  /** The limit's name, as shown to users. */
  public String name() {
    return name;
  }

  /** The algorithm's letter, the limit's name or ordinal, and the shard. */
  public String slot() {
    return slot;
  }

  /** The algorithm's letter and the limit's name or ordinal. */
  public String wholeSlot() {
    return shard == WHOLE ? slot : slot.substring(0, slot.length() - shardMark().length());
  }

  /** The shard's number and count, such as {@code #3/8}; empty for a whole pool. */
  public String shardMark() {
    return shard == WHOLE ? "" : shardedPool().mark(shard);
  }

  public Meter meter() {
    return meter;
  }

  public boolean countDenied() {
    return options.countDenied();
  }

  /**
   * The upper half of a bucket's fingerprint, which does not depend on the numbers of the limit.
   */
  public long high(Key key) {
    return key.high() ^ saltHigh;
  }

  /** The lower half of a bucket's fingerprint. */
  public long low(Key key) {
    return key.low() ^ saltLow;
  }

  /**
   * Data that a store computes once per pool and keeps with it, so that a decision finds it without
   * a lookup. A pool holds the attachment of one store: the last that set one.
   */
  public interface Attachment {}

  /** The attachment that was set last; it may belong to another store. */
  public @Nullable Attachment attachment() {
    return attachment;
  }

  /** Sets the attachment. */
  public void attach(Attachment next) {
    attachment = next;
  }

  /** The upper half of the salt that separates this pool's buckets from those of other pools. */
  public long saltHigh() {
    return saltHigh;
  }

  /** The lower half of the salt. */
  public long saltLow() {
    return saltLow;
  }

  @Override
  public String toString() {
    return rule + ":" + slot;
  }
}
