package io.weir.store;

import io.weir.Standing;
import io.weir.limit.Stamp;
import java.util.List;

/**
 * What came of a list of draws.
 *
 * @param taken whether all enforced draws were admitted, and so all admitted draws taken
 * @param standings one per draw, in order
 * @param stamps one per draw, in order, when the draws were taken to be settled later; else empty
 * @param grants one per draw, in order, where the store lends and a draw told of leases; else empty
 */
public record Taking(
    boolean taken, List<Standing> standings, List<Stamp> stamps, List<Grant> grants) {
  /** What came of draws without leases. */
  public Taking(boolean taken, List<Standing> standings, List<Stamp> stamps) {
    this(taken, standings, stamps, List.of());
  }
}
