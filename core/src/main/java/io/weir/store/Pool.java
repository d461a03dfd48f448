package io.weir.store;

import io.weir.Key;
import io.weir.Limit;
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
  private final boolean countDenied;
  private final boolean local;
  private final long saltHigh;
  private final long saltLow;
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
    this(rule, name, limit.algorithm().letter() + slot, Meter.of(limit), countDenied, false);
  }

  private Pool(
      String rule, String name, String slot, Meter meter, boolean countDenied, boolean local) {
    this.rule = rule;
    this.name = name;
    this.slot = slot;
    this.meter = meter;
    this.countDenied = countDenied;
    this.local = local;
    Key salt = Key.of(rule, this.slot);
    this.saltHigh = salt.high();
    this.saltLow = salt.low();
  }

  /** The same pool, to be kept in this process and nowhere else. */
  public Pool keptLocally() {
    return new Pool(rule, name, slot, meter, countDenied, true);
  }

  /** Whether this pool is kept in this process, whatever store there is. */
  public boolean isLocal() {
    return local;
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
    return countDenied;
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
