package io.weir.bench.run;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Keys {@code user:0}, {@code user:1}, …, and the orders in which requests use them. */
public final class KeySequence {
  /** Number of decisions until an order repeats; a power of two. */
  public static final int ORDER = 1 << 20;

  private static final long SEED = 20_240_229;

  private KeySequence() {}

  public static String[] make(int count) {
    String[] keys = new String[count];
    for (int i = 0; i < count; i++) {
      keys[i] = text(i);
    }
    return keys;
  }

  /**
   * The same keys, in an order unrelated to their addresses on the heap.
   *
   * @param neighbours receives objects between them, 100 to 200 bytes after each key
   */
  public static String[] scattered(int count, byte[][] neighbours) {
    SplittableRandom random = new SplittableRandom(SEED + 2);
    String[] made = new String[count];
    for (int i = 0; i < count; i++) {
      made[i] = text(i);
      neighbours[i] = new byte[random.nextInt(100, 200)];
    }
    int[] order = shuffled(count);
    String[] keys = new String[count];
    Arrays.setAll(keys, i -> made[order[i]]);
    return keys;
  }

  public static String text(int number) {
    return "user:" + number;
  }

  /**
   * The keys in the order of requests.
   *
   * @param own whether every request has a separate object, one after the other in memory, as if
   *     just parsed
   */
  public static String[] requests(String[] keys, int[] order, boolean own) {
    String[] requests = new String[order.length];
    for (int i = 0; i < order.length; i++) {
      String key = keys[order[i]];
      requests[i] = own ? new String(key.toCharArray()) : key;
    }
    return requests;
  }

  /** All keys with equal probability. */
  public static int[] uniform(int count) {
    SplittableRandom random = new SplittableRandom(SEED);
    int[] order = new int[ORDER];
    Arrays.setAll(order, i -> random.nextInt(count));
    return order;
  }

  /** The n-th most frequent key has a probability in proportion to 1/n (Zipf with exponent 1). */
  public static int[] zipf(int count) {
    double[] upTo = new double[count];
    double sum = 0;
    for (int i = 0; i < count; i++) {
      sum += 1.0 / (i + 1);
      upTo[i] = sum;
    }
    // Ranks are shuffled, so that frequent keys are not adjacent.
    int[] numbers = shuffled(count);
    SplittableRandom random = new SplittableRandom(SEED);
    int[] order = new int[ORDER];
    for (int i = 0; i < ORDER; i++) {
      int at = Arrays.binarySearch(upTo, random.nextDouble() * sum);
      order[i] = numbers[Math.min(count - 1, at < 0 ? -1 - at : at)];
    }
    return order;
  }

  /** The numbers below {@code count}, shuffled. */
  public static int[] shuffled(int count) {
    SplittableRandom random = new SplittableRandom(SEED + 1);
    int[] numbers = new int[count];
    for (int i = 0; i < count; i++) {
      int j = random.nextInt(i + 1);
      numbers[i] = numbers[j];
      numbers[j] = i;
    }
    return numbers;
  }
}
