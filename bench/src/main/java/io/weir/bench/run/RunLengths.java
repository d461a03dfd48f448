package io.weir.bench.run;

/**
 * Length and number of the turns of subjects.
 *
 * @param warmups iterations that do not count
 * @param warmupMillis their length
 * @param rounds iterations that count
 * @param millis their length
 */
public record RunLengths(int warmups, int warmupMillis, int rounds, int millis) {
  public static final RunLengths FULL = new RunLengths(2, 700, 25, 100);
  public static final RunLengths QUICK = new RunLengths(2, 500, 9, 60);

  public int httpRounds() {
    return this == QUICK ? 3 : 7;
  }

  public int httpSeconds() {
    return 2;
  }

  /** Minimum number of load turns of each server before the first round that counts. */
  public int httpWarmups() {
    return this == QUICK ? 5 : 8;
  }

  /** Length of a turn of a limiter on Redis. */
  public int redisMillis() {
    return this == QUICK ? 250 : 400;
  }

  public int redisRounds() {
    return this == QUICK ? 5 : 15;
  }

  /** Turns that do not count; each lasts one second. */
  public int redisWarmups() {
    return this == QUICK ? 2 : 4;
  }

  /** Number of repetitions with new processes for limiters that a goal names. */
  public int redisRepetitions() {
    return this == QUICK ? 1 : 5;
  }

  String print() {
    return warmups + "," + warmupMillis + "," + rounds + "," + millis;
  }

  static RunLengths parse(String text) {
    String[] numbers = text.split(",");
    return new RunLengths(
        Integer.parseInt(numbers[0]),
        Integer.parseInt(numbers[1]),
        Integer.parseInt(numbers[2]),
        Integer.parseInt(numbers[3]));
  }
}
