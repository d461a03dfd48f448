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
 * The buckets of one limit of one rule: a key picks one of them.
 *
 * <p>What identifies a pool is the rule's id, the limit's name or place within the rule, and the
 * algorithm; its numbers may change while every bucket keeps its state.
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

  /** Into what this pool is divided, or of what it is a part; null for most. */
  private final @Nullable ShardedPool shardedPool;

  /** Which part of {@link #shardedPool} this is; −1 for a whole pool. */
  private final int shard;

  private volatile @Nullable Attachment attachment;

  /**
   * A pool.
   *
   * @param name what users call the limit
   * @param slot what tells the rule's limits apart, and stays when numbers change: a name or an
   *     ordinal
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
      PoolOptions traits,
      @Nullable ShardedPool split,
      int shard) {
    this.rule = rule;
    this.name = name;
    this.slot = slot;
    this.meter = meter;
    this.options = traits;
    this.leaseCap = traits.leaseCap();
    this.shardedPool = split;
    this.shard = shard;
    Key salt = Key.of(rule, slot);
    this.saltHigh = salt.high();
    this.saltLow = salt.low();
  }

  private Pool with(PoolOptions traits) {
    return new Pool(rule, name, slot, meter, traits, null, WHOLE);
  }

  /**
   * The same pool, divided; to be said last. A store is never asked for it, only for its shards.
   *
   * @param lends how many tokens of a part may be out on lease at once
   */
  public Pool sharded(LimitDivision division, ToLongFunction<Limit> lends) {
    ShardedPool split = new ShardedPool(this, division, lends);
    return new Pool(rule, name, slot, meter, options, split, WHOLE);
  }

  /** A part of this pool. */
  Pool shard(ShardedPool of, int number, String mark, Limit part, long most) {
    return new Pool(
        rule, name, slot + mark, Meter.of(part), options.withLeaseCap(most), of, number);
  }

  /** Whether this pool is divided, or is a part of one that is. */
  public boolean isSharded() {
    return shardedPool != null;
  }

  /** Into what this pool is divided, or of what it is a part; only if it {@link #isSharded}. */
  public ShardedPool shardedPool() {
    return Objects.requireNonNull(shardedPool, "not split");
  }

  /** Which part of a divided pool this is, counted from 0; −1 if it is a whole one. */
  public int shard() {
    return shard;
  }

  /** This pool, or the shard of it, that has this slot. */
  public Optional<Pool> find(String wanted) {
    if (shardedPool == null) {
      return slot.equals(wanted) ? Optional.of(this) : Optional.empty();
    }
    return Optional.ofNullable(shardedPool.find(wanted));
  }

  /** The same pool, to be kept in this process and nowhere else. */
  public Pool keptLocally() {
    return with(options.keptLocally());
  }

  /** Whether this pool is kept in this process, whatever store there is. */
  public boolean isLocal() {
    return options.local();
  }

  /** The same pool on the wall clock, for one that stands in for a shared one. */
  public Pool onWall() {
    return new Pool(rule, name, slot, meter.onWall(), options, shardedPool, shard);
  }

  /** The same pool, of a rule whose keys begin with this dimension, such as {@code user}. */
  public Pool withDimension(String dimension) {
    return with(options.withDimension(dimension));
  }

  /**
   * The dimension that keys begin with; empty for a rule with one bucket for all. Equal subjects
   * live together.
   */
  public String subject() {
    return options.subject();
  }

  /** The same pool, with another answer for the day the store is away. */
  public Pool onFail(OnFail onFail) {
    return onFail(onFail, options.localFactor());
  }

  /**
   * The same pool, with another answer for the day the store is away.
   *
   * @param localFactor what this instance's share is multiplied by while it decides alone
   */
  public Pool onFail(OnFail onFail, Ratio localFactor) {
    return with(options.onFail(onFail, localFactor));
  }

  /** What to say while the store cannot answer. */
  public OnFail onFail() {
    return options.onFail();
  }

  /** What this instance's share is multiplied by while it decides alone. */
  public Ratio localFactor() {
    return options.localFactor();
  }

  /** The same pool, where so many of a bucket's tokens may be out on lease at once. */
  public Pool withLeaseCap(long most) {
    return with(options.withLeaseCap(most));
  }

  /** How many of a bucket's tokens may be out on lease at once; 0 if every draw is to be asked. */
  public long leaseCap() {
    return leaseCap;
  }

  /** The rule's id. */
  public String rule() {
    return rule;
  }

  /** What users call the limit. */
  public String name() {
    return name;
  }

  /** The algorithm's letter, what tells the rule's limits apart, and which shard it is. */
  public String slot() {
    return slot;
  }

  /** The algorithm's letter and what tells the rule's limits apart. */
  public String wholeSlot() {
    return shard == WHOLE ? slot : slot.substring(0, slot.length() - shardMark().length());
  }

  /** Which of how many shards this is, such as {@code #3/8}; empty for a whole pool. */
  public String shardMark() {
    return shard == WHOLE ? "" : shardedPool().mark(shard);
  }

  public Meter meter() {
    return meter;
  }

  public boolean countDenied() {
    return options.countDenied();
  }

  /** The upper half of what tells a bucket from all others, whatever its numbers. */
  public long high(Key key) {
    return key.high() ^ saltHigh;
  }

  /** The lower half. */
  public long low(Key key) {
    return key.low() ^ saltLow;
  }

  /**
   * What a store computed once for this pool and keeps with it, so that a decision finds it without
   * a lookup. A pool holds the attachment of one store: the last that set one.
   */
  public interface Attachment {}

  /** The attachment that a store set last; it may belong to another store. */
  public @Nullable Attachment attachment() {
    return attachment;
  }

  /** Keeps an attachment with this pool. */
  public void attach(Attachment next) {
    attachment = next;
  }

  /** The upper half of the salt that tells this pool's buckets from those of other pools. */
  public long saltHigh() {
    return saltHigh;
  }

  /** The lower half. */
  public long saltLow() {
    return saltLow;
  }

  @Override
  public String toString() {
    return rule + ":" + slot;
  }
}
