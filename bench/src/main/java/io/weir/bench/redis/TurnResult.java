package io.weir.bench.redis;

/**
 * What a subject answered in one turn.
 *
 * @param calls decisions, which are all to admit
 * @param failed calls that were refused, or not answered
 * @param wallNanos how long the turn took
 * @param cpuNanos processor time of the subject's process
 * @param p50Nanos half of the answers took at most this long
 * @param p99Nanos and 99 in a hundred this
 */
record TurnResult(
    long calls, long failed, long wallNanos, long cpuNanos, long p50Nanos, long p99Nanos) {
  String print() {
    return calls + " " + failed + " " + wallNanos + " " + cpuNanos + " " + p50Nanos + " "
        + p99Nanos;
  }

  static TurnResult parse(String text) {
    String[] numbers = text.split(" ");
    return new TurnResult(
        Long.parseLong(numbers[0]),
        Long.parseLong(numbers[1]),
        Long.parseLong(numbers[2]),
        Long.parseLong(numbers[3]),
        Long.parseLong(numbers[4]),
        Long.parseLong(numbers[5]));
  }
}
