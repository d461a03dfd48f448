package io.weir.rule.penalty;

import io.weir.Key;
import io.weir.OnFail;
import io.weir.Ratio;
import io.weir.SlidingLog;
import io.weir.base.Micros;
import io.weir.rule.Penalty;
import io.weir.rule.Rule;
import io.weir.rule.Scope;
import io.weir.store.Pool;

/**
 * The penalty of one rule, with the two buckets that the store holds for each key: a log of its
 * refusals, and a log with one entry while its limit is tightened.
 *
 * <p>The names of both begin with a character that no limit's name contains.
 */
public final class RulePenalty {
  private final Pool refusals;
  private final Pool tightened;
  private final long micros;
  private final Ratio factor;

  public RulePenalty(Rule rule, Penalty penalty) {
    this.refusals = pool(rule, "~refusals", new SlidingLog(penalty.after(), penalty.within(), ""));
    this.tightened = pool(rule, "~tightened", new SlidingLog(1, penalty.duration(), ""));
    this.micros = Micros.of(penalty.duration());
    this.factor = penalty.factor();
  }

  private static Pool pool(Rule rule, String slot, SlidingLog log) {
    Pool pool =
        new Pool(rule.id(), rule.id() + slot, slot, log, false)
            .withDimension(rule.key().isEmpty() ? "" : rule.key().get(0))
            .onFail(OnFail.OPEN, Ratio.ONE);
    return rule.scope() == Scope.INSTANCE ? pool.keptLocally() : pool;
  }

  /** The log of a key's refusals; full when the penalty begins. */
  Pool refusals() {
    return refusals;
  }

  /** The log that has an entry while the key is tightened. */
  Pool tightened() {
    return tightened;
  }

  /** The duration of the penalty, in µs. */
  long micros() {
    return micros;
  }

  /** The factor for the limits of tightened keys. */
  public Ratio factor() {
    return factor;
  }

  /** The upper half of a key's fingerprint in {@link TightenedKeys}. */
  public long high(Key key) {
    return tightened.high(key);
  }

  /** The lower half. */
  public long low(Key key) {
    return tightened.low(key);
  }
}
