package io.weir.store;

import io.weir.Key;
import io.weir.Limit;
import io.weir.OnFail;
import io.weir.Scale;
import io.weir.limit.Meter;
import org.jspecify.annotations.Nullable;

/**
 * The buckets of one limit of one rule: a key picks one of them.
 *
 * <p>What identifies a pool is the rule's id, the limit's name or place within the rule, and the
 * algorithm; its numbers may change while every bucket keeps its state.
 */
public final class Pool {
  private final String rule;
  private final String name;
  private final String slot;
  private final Meter meter;
  private final Traits traits;
  private final long saltHigh;
  private final long saltLow;
  private final long lends;
  private volatile @Nullable Binding binding;

  /**
   * A pool.
   *
   * @param name what users call the limit
   * @param slot what tells the rule's limits apart, and stays when numbers change: a name or an
   *     ordinal
   * @param countDenied whether refusals count
   */
  public Pool(String rule, String name, String slot, Limit limit, boolean countDenied) {
    this(rule, name, limit.algorithm().letter() + slot, Meter.of(limit), Traits.of(countDenied));
  }

  private Pool(String rule, String name, String slot, Meter meter, Traits traits) {
    this.rule = rule;
    this.name = name;
    this.slot = slot;
    this.meter = meter;
    this.traits = traits;
    this.lends = traits.lends();
    Key salt = Key.of(rule, slot);
    this.saltHigh = salt.high();
    this.saltLow = salt.low();
  }

  private Pool with(Traits traits) {
    return new Pool(rule, name, slot, meter, traits);
  }

  /** The same pool, to be kept in this process and nowhere else. */
  public Pool keptLocally() {
    return with(traits.keptLocally());
  }

  /** Whether this pool is kept in this process, whatever store there is. */
  public boolean isLocal() {
    return traits.local();
  }

  /** The same pool, of a rule whose keys begin with this dimension, such as {@code user}. */
  public Pool about(String dimension) {
    return with(traits.about(dimension));
  }

  /**
   * The dimension that keys begin with; empty for a rule with one bucket for all. Equal subjects
   * live together.
   */
  public String subject() {
    return traits.subject();
  }

  /** The same pool, with another answer for the day the store is away. */
  public Pool onFail(OnFail onFail) {
    return onFail(onFail, traits.localFactor());
  }

  /**
   * The same pool, with another answer for the day the store is away.
   *
   * @param localFactor what this instance's share is multiplied by while it decides alone
   */
  public Pool onFail(OnFail onFail, Scale localFactor) {
    return with(traits.onFail(onFail, localFactor));
  }

  /** What to say while the store cannot answer. */
  public OnFail onFail() {
    return traits.onFail();
  }

  /** What this instance's share is multiplied by while it decides alone. */
  public Scale localFactor() {
    return traits.localFactor();
  }

  /** The same pool, where so many of a bucket's tokens may be out on lease at once. */
  public Pool lending(long most) {
    return with(traits.lending(most));
  }

  /** How many of a bucket's tokens may be out on lease at once; 0 if every draw is to be asked. */
  public long lends() {
    return lends;
  }

  /** The rule's id. */
  public String rule() {
    return rule;
  }

  /** What users call the limit. */
  public String name() {
    return name;
  }

  /** The algorithm's letter and what tells the rule's limits apart. */
  public String slot() {
    return slot;
  }

  public Meter meter() {
    return meter;
  }

  public boolean countDenied() {
    return traits.countDenied();
  }

  /** The upper half of what tells a bucket from all others, whatever its numbers. */
  public long high(Key key) {
    return key.high() ^ saltHigh;
  }

  /** The lower half. */
  public long low(Key key) {
    return key.low() ^ saltLow;
  }

  /** This pool as a table sees it; remembered, as a pool hardly ever serves two tables. */
  Binding in(Shapes shapes) {
    Binding known = binding;
    if (known == null || known.shapes() != shapes) {
      known = Binding.of(shapes, meter, saltHigh, saltLow);
      binding = known;
    }
    return known;
  }

  @Override
  public String toString() {
    return rule + ":" + slot;
  }
}
