package io.weir.control.rollout.judge;

import java.util.List;
import java.util.Optional;

/** Decides at publish what a change is expected to refuse, or that its author must say so. */
public final class ExpectationRule {
  /** The largest prediction that becomes the expectation by itself. */
  public static final double MOST_UNSTATED = 0.05;

  /** How a version comes about. */
  public enum Publication {
    /** By a person, who can state an expectation. */
    APPLY,
    /** By an edit of the rule file. */
    FILE,
    /** By a rollback to an earlier version. */
    ROLLBACK
  }

  /** What is expected, or what is missing. */
  public sealed interface Result {
    /** The version can be published. */
    record Accepted(Expectation expectation, List<String> warnings) implements Result {}

    /** The prediction is above 5% and nothing was stated: 422 {@code needs_expect}. */
    record NeedsExpect(Prediction prediction) implements Result {
      public String message() {
        return "the change would refuse "
            + prediction.describe()
            + " that are admitted today; publish it with expect: { refused_keys: "
            + (int) Math.ceil(prediction.largestShare() * 100)
            + "% } if that is intended";
      }
    }
  }

  private ExpectationRule() {}

  /**
   * Applies the rule.
   *
   * @param stated the share that the author stated
   * @param prediction empty if no call was recorded
   */
  public static Result decide(
      Publication publication, Optional<Double> stated, Optional<Prediction> prediction) {
    Optional<Prediction> recorded = prediction.filter(it -> it.keys() > 0);
    if (stated.isPresent()) {
      return stated(stated.get(), recorded);
    }
    if (publication != Publication.APPLY) {
      Expectation.Source source =
          publication == Publication.FILE ? Expectation.Source.FILE : Expectation.Source.ROLLBACK;
      Expectation expected = Expectation.of(MOST_UNSTATED, source);
      return new Result.Accepted(expected, warnings(MOST_UNSTATED, "the default", recorded));
    }
    if (recorded.isEmpty()) {
      return new Result.Accepted(
          Expectation.NONE,
          List.of("no call was recorded: the change is expected to refuse no key"));
    }
    if (recorded.get().share() > MOST_UNSTATED) {
      return new Result.NeedsExpect(recorded.get());
    }
    return new Result.Accepted(Expectation.of(recorded.get()), List.of());
  }

  private static Result stated(double share, Optional<Prediction> recorded) {
    return new Result.Accepted(
        Expectation.of(share, Expectation.Source.STATED),
        warnings(share, "the stated expectation", recorded));
  }

  private static List<String> warnings(double share, String what, Optional<Prediction> recorded) {
    return recorded
        .filter(it -> it.share() > share)
        .map(
            it ->
                what
                    + " of "
                    + Percentage.print(share)
                    + " is below the prediction: "
                    + it.describe()
                    + " would be refused")
        .map(List::of)
        .orElse(List.of());
  }
}
