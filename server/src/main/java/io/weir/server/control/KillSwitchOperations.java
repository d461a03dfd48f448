package io.weir.server.control;

import io.weir.control.audit.Origin;
import java.time.Instant;
import java.util.List;

/**
 * The kill switch on all its roads. Works with the database unavailable: then the switch holds on
 * this instance and on the roads that are reached. Methods may block and are called on a worker
 * thread.
 */
public interface KillSwitchOperations {
  /** A way on which a kill switch reaches an instance. */
  enum Road {
    PUSH,
    REDIS,
    ADMIN,
    FILE
  }

  /**
   * A switch that is on.
   *
   * @param scope {@code all}, {@code rule/ID} or {@code tenant/ID}
   * @param until the end on this road
   */
  record Active(String scope, Road road, Instant until, String by, String message) {}

  /**
   * What became of a change.
   *
   * @param reached the roads that carry the change
   * @param unreached the roads that do not, with the reason
   * @param active what is still on after it, in any scope
   */
  record Result(List<Road> reached, List<Unreached> unreached, List<Active> active) {}

  /** A road that a change did not reach. */
  record Unreached(Road road, String reason) {}

  /** Turns the switch of a scope on until a time. */
  Result on(String scope, Instant until, Origin origin);

  /** Turns the switch of a scope off on every road that can be reached. */
  Result off(String scope, Origin origin);

  /** What is on, by any road. */
  List<Active> active();
}
