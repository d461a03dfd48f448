package io.weir.testkit.lease;

/** One thing that a fleet goes through; members are counted around, so that any number is one. */
sealed interface FleetEvent {
  /**
   * Calls one after the other, at random moments.
   *
   * @param percent of what the limit admits on average
   * @param member who is asked, or −1 for anybody
   */
  record Calls(int count, int percent, int member, int cost) implements FleetEvent {}

  /** Nobody calls. */
  record Quiet(int millis) implements FleetEvent {}

  /** An instance is added. */
  record Start() implements FleetEvent {}

  /** An instance gives back what it has, and goes. */
  record Stop(int member) implements FleetEvent {}

  /** An instance is gone, and another comes in its place. */
  record Crash(int member) implements FleetEvent {}

  /** Nothing happens in an instance for a while. */
  record Freeze(int member, int millis) implements FleetEvent {}

  /** Rules are loaded anew everywhere. */
  record Reload() implements FleetEvent {}

  /** The store does not answer for a while, and then does. */
  record Outage(int millis, int count, int percent) implements FleetEvent {}
}
