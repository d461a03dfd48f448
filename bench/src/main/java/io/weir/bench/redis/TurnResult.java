package io.weir.bench.redis;

/**
 * Answers of a subject in one turn.
 *
 * @param calls decisions, all of which should admit
 * @param failed calls that were refused or not answered
 * @param wallNanos duration of the turn
 * @param cpuNanos CPU time of the subject's process
 * @param p50Nanos median latency
 * @param p99Nanos 99th percentile of the latency
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
