package io.weir.testkit.lease;

/** One event of a fleet; a member number is taken modulo the number of members. */
sealed interface FleetEvent {
  /**
   * Calls one after the other, at random times.
   *
   * @param percent of the limit's average rate
   * @param member the instance called, or −1 for any
   */
  record Calls(int count, int percent, int member, int cost) implements FleetEvent {}

  /** A pause without calls. */
  record Quiet(int millis) implements FleetEvent {}

  /** An instance is added. */
  record Start() implements FleetEvent {}

  /** An instance returns its leases and stops. */
  record Stop(int member) implements FleetEvent {}

  /** An instance crashes, and another replaces it. */
  record Crash(int member) implements FleetEvent {}

  /** Nothing happens in an instance for a while. */
  record Freeze(int member, int millis) implements FleetEvent {}

  /** All instances reload their rules. */
  record Reload() implements FleetEvent {}

  /** The store does not answer for a while. */
  record Outage(int millis, int count, int percent) implements FleetEvent {}
}
