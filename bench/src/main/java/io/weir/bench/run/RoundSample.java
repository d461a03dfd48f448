package io.weir.bench.run;

/**
 * Cost of one subject in one round.
 *
 * @param calls decisions of all threads together
 * @param cpuNanos CPU time of these threads
 * @param wallNanos duration of the round, averaged over the threads
 * @param bytes heap allocated by these threads
 */
public record RoundSample(long calls, long cpuNanos, long wallNanos, long bytes) {
  public double cpuPerCall() {
    return (double) cpuNanos / calls;
  }

  public double millionsPerSecond() {
    return 1000.0 * calls / wallNanos;
  }

  public double bytesPerCall() {
    return (double) bytes / calls;
  }

  String print() {
    return calls + " " + cpuNanos + " " + wallNanos + " " + bytes;
  }

  static RoundSample parse(String text) {
    String[] numbers = text.split(" ");
    return new RoundSample(
        Long.parseLong(numbers[0]),
        Long.parseLong(numbers[1]),
        Long.parseLong(numbers[2]),
        Long.parseLong(numbers[3]));
  }
}
