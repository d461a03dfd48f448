package io.weir.rule;

/** The instances whose calls a rule counts together. */
public enum Scope {
  /** All instances that share one store. */
  CELL,
  /** This process alone; always decided in memory. */
  INSTANCE,
  /** All cells together. */
  GLOBAL
}
