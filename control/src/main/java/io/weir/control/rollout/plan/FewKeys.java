package io.weir.control.rollout.plan;

/** What happens at the end of a step in which a changed rule had fewer than 10 keys. */
public enum FewKeys {
  /** The rollout is held until an operator advances it or more keys call. */
  HOLD,
  /** The rollout goes on. */
  ADVANCE
}
