package io.weir.control.whatif;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;

/**
 * What other rules would have done to recorded calls.
 *
 * <p>A key is <em>newly refused</em> if the new rules refused it and the old ones did not, or if
 * the new ones refused more of its calls, by over 10% of them. Newly refused calls are the sum over
 * keys of what new rules refused more. Newly admitted is the same with the sides exchanged. Calls
 * are never compared one by one: two buckets of a key that is over both limits fall out of step.
 *
 * <p>The unit of {@code total}, {@code routes} and {@code tiers} is the caller. The unit of {@code
 * rules} is the rule's key; it is the caller for {@code key: []}, and if the two sides have
 * different keys.
 *
 * @param rules only those that differ in effect, most newly refused keys first; the same for routes
 *     and tiers
 * @param peaks the largest share of newly refused keys that a rule has within 60 s, of rules that
 *     have any; the judge of the rollout looks at 60 s
 * @param notes what the numbers do not cover
 */
public record WhatIf(
    Basis basis,
    Effect total,
    List<Group> rules,
    List<Group> routes,
    List<Group> tiers,
    double refusedKeys,
    SortedMap<String, Double> peaks,
    List<String> notes) {
  /** The most groups of each kind; {@code notes} tells if there are more. */
  static final int MAX_GROUPS = 100;

  /** The outcome if nothing is recorded: nothing is refused or admitted. */
  public static WhatIf nothingRecorded(int instances, int asked) {
    Basis basis = new Basis(Instant.EPOCH, Instant.EPOCH, 0, 0, 1, instances, asked, true);
    return new WhatIf(
        basis,
        Effect.NONE,
        List.of(),
        List.of(),
        List.of(),
        0,
        Collections.emptySortedMap(),
        List.of());
  }

  /**
   * What the numbers rest on.
   *
   * @param share the share of callers that were recorded; counts are of the sample, not scaled
   * @param instances how many instances contributed
   * @param asked how many instances were live
   * @param complete whether the replay reached the last call in time
   */
  public record Basis(
      Instant from,
      Instant to,
      long calls,
      long callers,
      double share,
      int instances,
      int asked,
      boolean complete) {
    public Duration span() {
      return Duration.between(from, to);
    }
  }

  /** Calls, and keys with such calls. */
  public record Change(long calls, long keys) {
    static final Change NONE = new Change(0, 0);
  }

  /**
   * The effect on some calls.
   *
   * @param calls the calls that were replayed
   * @param keys the keys with at least one of them
   */
  public record Effect(long calls, long keys, Change refused, Change admitted) {
    static final Effect NONE = new Effect(0, 0, Change.NONE, Change.NONE);

    /** Newly refused keys as a share of all. */
    public double refusedKeys() {
      return keys == 0 ? 0 : (double) refused.keys() / keys;
    }

    boolean isChange() {
      return !refused.equals(Change.NONE) || !admitted.equals(Change.NONE);
    }
  }

  /** The effect on one rule, route or tier. */
  public record Group(String name, Effect effect) {}
}
