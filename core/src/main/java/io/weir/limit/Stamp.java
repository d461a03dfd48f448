package io.weir.limit;

/**
 * What must be remembered of a take to give it back later: which window was charged, which log
 * entry was written, or, for a leaky bucket, what the bucket looked like right after.
 *
 * @param time the cell's time after the take, in µs
 * @param used the cell's deficit or count after the take
 */
public record Stamp(long time, long used) {
  /** The stamp of a cell that was just taken from. */
  public static Stamp of(Cell cell) {
    return new Stamp(cell.time, cell.used);
  }
}
