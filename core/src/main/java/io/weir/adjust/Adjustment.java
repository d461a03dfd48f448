package io.weir.adjust;

import io.weir.Limit;
import io.weir.Ratio;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How the limits of a rule differ for some keys, as one value. Keys with equal adjustments share
 * their pools.
 *
 * <p>The order is fixed: the limit of the tier and tenant, then the override, the schedule, the
 * signal, the penalty. A number is at least 1 after that, unless the override is 0.
 */
public final class Adjustment {
  /** No difference. */
  public static final Adjustment NONE = new Adjustment(null, Ratio.ONE, Ratio.ONE);

  private static final Adjustment[] SIGNALS = of(null);

  private final @Nullable OverrideEffect override;
  private final Ratio signal;
  private final Ratio penalty;
  private final int hash;

  private Adjustment(@Nullable OverrideEffect override, Ratio signal, Ratio penalty) {
    this.override = override;
    this.signal = signal;
    this.penalty = penalty;
    this.hash = Objects.hash(override, signal, penalty);
  }

  /** The adjustments by an override without a signal, and with a signal of severity 1 and 2. */
  static Adjustment[] of(@Nullable OverrideEffect override) {
    return new Adjustment[] {
      new Adjustment(override, Ratio.ONE, Ratio.ONE),
      new Adjustment(override, Severity.HALF.factor(), Ratio.ONE),
      new Adjustment(override, Severity.TENTH.factor(), Ratio.ONE)
    };
  }

  /** The adjustment by a signal alone: 0 for none, else its severity, 1 or 2. */
  public static Adjustment bySignal(int severity) {
    return severity == 0 ? NONE : SIGNALS[severity];
  }

  /** This adjustment, and all limits times the factor of a penalty. */
  public Adjustment withPenalty(Ratio factor) {
    return factor.equals(Ratio.ONE) ? this : new Adjustment(override, signal, factor);
  }

  /** Whether it leaves every limit as it is. */
  public boolean isNone() {
    return override == null && signal.equals(Ratio.ONE) && penalty.equals(Ratio.ONE);
  }

  /** Whether it lifts every limit. Neither signal nor penalty changes that. */
  public boolean isUnlimited() {
    return override instanceof OverrideEffect.Unlimited;
  }

  /** The override in it, or null. */
  public @Nullable OverrideEffect override() {
    return override;
  }

  /**
   * A limit of a rule under this adjustment.
   *
   * @param shown the name of the limit in responses
   * @param only whether the rule has no other limit
   * @param schedule the factor of the schedule in force
   * @throws IllegalArgumentException with the reason, if the numbers cannot be computed exactly
   */
  public Limit of(Limit base, String shown, boolean only, Ratio schedule) {
    Limit limit = base;
    if (override instanceof OverrideEffect.Factor times) {
      limit = limit.scaled(times.factor());
    } else if (override instanceof OverrideEffect.OtherLimit other
        && isAbout(other, base, shown, only)) {
      limit = other.instead(base).named(base.name());
    }
    return scaled(scaled(scaled(limit, schedule), signal), penalty);
  }

  private static Limit scaled(Limit limit, Ratio factor) {
    return factor.equals(Ratio.ONE) ? limit : limit.scaled(factor);
  }

  /** Whether an override replaces this limit: it names it, and has its algorithm. */
  public static boolean isAbout(
      OverrideEffect.OtherLimit other, Limit base, String shown, boolean only) {
    boolean named =
        other.name().isEmpty()
            ? only
            : other.name().equals(base.name()) || other.name().equals(shown);
    return named && other.instead(base).algorithm() == base.algorithm();
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || (other instanceof Adjustment that
            && hash == that.hash
            && Objects.equals(override, that.override)
            && signal.equals(that.signal)
            && penalty.equals(that.penalty));
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return (override == null ? "" : override + " ") + "signal " + signal + " penalty " + penalty;
  }
}
