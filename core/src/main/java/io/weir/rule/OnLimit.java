package io.weir.rule;

/** What happens to a call that a rule does not admit. */
public enum OnLimit {
  /** It is refused. */
  REFUSE,
  /** It passes, marked as over the limit. Nothing is taken for it from this rule. */
  MARK
}
