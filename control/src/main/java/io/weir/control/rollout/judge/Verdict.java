package io.weir.control.rollout.judge;

/** What becomes of a rollout now. */
public sealed interface Verdict {
  Findings findings();

  /** The step goes on. */
  record GoOn(Findings findings) implements Verdict {}

  /**
   * The step is over and nothing speaks against the next one; after the last one the rollout is
   * done.
   *
   * @param note what was not judged; empty if there is nothing to say
   */
  record Advance(String note, Findings findings) implements Verdict {}

  /** The step is over, and the next one would enforce more than the evidence bears. */
  record Held(HoldReason reason, String detail, Findings findings) implements Verdict {
    /** Such as {@code few keys: rule api: 3f00a1b2c3, 9e00a1b2c3}. */
    public String text() {
      return detail.isEmpty() ? reason.text() : reason.text() + ": " + detail;
    }
  }

  /** The new version refuses more keys than expected. */
  record RollBack(String reason, Findings findings) implements Verdict {}
}
