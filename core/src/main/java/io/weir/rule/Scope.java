package io.weir.rule;

/** How far a rule's counts reach. */
public enum Scope {
  /** The fleet around one store. */
  CELL,
  /** This process alone; decided in memory and never anywhere else. */
  INSTANCE,
  /** All cells together. */
  GLOBAL
}
