package io.weir.testkit.trace;

import io.weir.Limit;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A history of one key.
 *
 * @param start the time on the clock when it begins, in µs
 * @param keyHash the fixed hash of rule and key
 * @param countDenied whether refusals count
 */
public record Trace(
    Limit limit, boolean countDenied, long start, long keyHash, List<TraceStep> steps) {

  /** The history up to and including this step, one step a line. */
  public String upTo(int step) {
    return "%s, count_denied %s, from %d, key hash %d%n"
            .formatted(limit, countDenied, start, keyHash)
        + steps.subList(0, step + 1).stream()
            .map(TraceStep::toString)
            .collect(Collectors.joining("\n"));
  }
}
