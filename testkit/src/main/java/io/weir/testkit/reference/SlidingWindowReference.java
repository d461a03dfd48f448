package io.weir.testkit.reference;

import io.weir.Limit;
import io.weir.SlidingWindow;
import io.weir.base.Micros;
import java.math.BigInteger;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The sliding window: the previous window's count is weighted by the share of that window that
 * still overlaps the last W, as if its calls had been spread evenly.
 *
 * <p>Time within a window is read in ticks, the smallest of 1, 10, 100 and 1000 µs for which 2·N·W
 * stays below 2^53; the largest if none does.
 */
final class SlidingWindowReference extends Reference {
  /** Maximum count in windows of another length. */
  private static final BigInteger COUNTED = BigInteger.valueOf((1L << 53) - 1);

  private final long keyHash;
  private Numbers numbers = Numbers.of(Limit.slidingWindow(0, Duration.ofSeconds(1)));
  private boolean used;
  private long now;
  private long end;
  private BigInteger previous = BigInteger.ZERO;
  private BigInteger current = BigInteger.ZERO;
  private @Nullable Other other;

  SlidingWindowReference(long keyHash) {
    this.keyHash = keyHash;
  }

  /**
   * A window's numbers.
   *
   * @param length in µs
   * @param tick in µs
   */
  private record Numbers(SlidingWindow limit, long length, long tick) {
    static Numbers of(SlidingWindow limit) {
      long length = Micros.of(limit.window());
      for (long tick : new long[] {1, 10, 100, 1000}) {
        BigInteger product =
            BigInteger.valueOf(2 * limit.count()).multiply(BigInteger.valueOf(length / tick));
        if (product.compareTo(BigInteger.valueOf(MAX_EXACT)) <= 0) {
          return new Numbers(limit, length, tick);
        }
      }
      return new Numbers(limit, length, 1000);
    }

    /** The window's length in ticks. */
    long ticks() {
      return length / tick;
    }

    boolean alike(Numbers other) {
      return length == other.length && limit.aligned() == other.limit.aligned();
    }

    /** Maximum count. */
    BigInteger most() {
      return BigInteger.valueOf(Math.min(MAX_EXACT / ticks(), (1L << 32) - 1));
    }
  }

  @Override
  public void open(Limit limit, long now) {
    Numbers next = Numbers.of((SlidingWindow) limit);
    if (used && !next.alike(numbers)) {
      meetOther(next, now);
    } else if (used) {
      moveTo(now);
      other = present(other, next, now);
    }
    this.numbers = next;
    this.used = true;
    this.now = now;
    this.end = endOf(now);
    current = current.min(next.most());
    previous = previous.min(next.most());
  }

  /**
   * Counts in windows of another length than those in force, which some instances may still use.
   */
  private record Other(Numbers numbers, long end, BigInteger previous, BigInteger current) {}

  /** Finds the counts in windows of this length; counts in other windows stay separate. */
  private void meetOther(Numbers next, long now) {
    Other before = present(other, next, now);
    Other left = present(new Other(numbers, end, previous, current.min(COUNTED)), next, now);
    if (before != null && before.numbers().alike(next)) {
      current = before.current();
      previous = before.previous();
      other = left;
    } else {
      adopt(next, now);
      other = left == null ? before : left;
    }
  }

  private @Nullable Other present(@Nullable Other of, Numbers next, long now) {
    if (of == null || of.numbers().limit().aligned() != next.limit().aligned()) {
      return null;
    }
    SlidingWindowReference there = new SlidingWindowReference(keyHash);
    there.numbers = of.numbers();
    there.end = of.end();
    there.previous = of.previous();
    there.current = of.current();
    there.moveTo(now);
    return there.current.add(there.previous).signum() == 0
        ? null
        : new Other(of.numbers(), there.end, there.previous, there.current.min(COUNTED));
  }

  private void change(BigInteger next) {
    count(next.subtract(current));
    current = next;
  }

  /** Counts in windows of another length too. */
  private void count(BigInteger amount) {
    if (other != null) {
      BigInteger there = other.current().add(amount).min(COUNTED).max(BigInteger.ZERO);
      other = new Other(other.numbers(), other.end(), other.previous(), there);
    }
  }

  /**
   * Other windows start with the present usage as their current count. If windows moved from one
   * clock to another, the age of the usage is unknown, and all of it counts.
   */
  private void adopt(Numbers next, long now) {
    if (next.limit().aligned() != numbers.limit().aligned()) {
      current = current.add(previous);
      previous = BigInteger.ZERO;
      return;
    }
    moveTo(now);
    if (next.length() != numbers.length()) {
      current = current.add(weight().ceil());
      previous = BigInteger.ZERO;
    }
  }

  /**
   * Lets windows pass under the current numbers; after a clock step back, all counts move into the
   * current window.
   */
  private void moveTo(long now) {
    long endNow = endOf(now);
    if (endNow > end) {
      previous = endNow - end == numbers.length() ? current : BigInteger.ZERO;
      current = BigInteger.ZERO;
    } else if (endNow < end) {
      current = current.add(previous).min(numbers.most());
      previous = BigInteger.ZERO;
    }
    this.now = now;
    this.end = endNow;
  }

  private long endOf(long now) {
    long length = numbers.length();
    return endOfWindow(now, length, numbers.limit().aligned() ? 0 : Math.floorMod(keyHash, length));
  }

  /** Whole ticks since the current window began. */
  private long elapsed() {
    return (now - (end - numbers.length())) / numbers.tick();
  }

  /** The weighted count of the previous window: previous × (1 − elapsed/W). */
  private Rational weight() {
    Rational share = Rational.of(numbers.ticks() - elapsed(), numbers.ticks());
    return Rational.of(previous).times(share);
  }

  private Rational usage() {
    return weight().plus(Rational.of(current));
  }

  @Override
  boolean fits(long cost) {
    return usage().plus(Rational.of(cost)).atMost(Rational.of(limit().capacity()));
  }

  @Override
  public void take(long cost, long permit) {
    change(current.add(BigInteger.valueOf(cost)));
  }

  @Override
  public void charge(long amount) {
    count(BigInteger.valueOf(amount));
    current = current.add(BigInteger.valueOf(amount)).min(numbers.most());
  }

  @Override
  public void countDenied(long cost) {
    BigInteger most = BigInteger.valueOf(2 * limit().capacity()).min(numbers.most());
    change(current.max(current.add(BigInteger.valueOf(cost)).min(most)));
  }

  @Override
  public void giveBack(long amount, ReferenceReceipt receipt) {
    if (other != null && (receipt.time() == end || receipt.time() == other.end())) {
      count(BigInteger.valueOf(amount).negate());
    }
    if (receipt.time() == end) {
      current = current.subtract(BigInteger.valueOf(amount)).max(BigInteger.ZERO);
    } else if (receipt.time() == end - numbers.length()) {
      previous = previous.subtract(BigInteger.valueOf(amount)).max(BigInteger.ZERO);
    }
  }

  @Override
  public ReferenceReceipt receipt() {
    return new ReferenceReceipt(end, current);
  }

  @Override
  public long remaining() {
    Rational left = Rational.of(limit().capacity()).minus(usage());
    return left.max(Rational.ZERO).floor().longValueExact();
  }

  /** Until both windows have no weight; the current one still has for one window after its end. */
  @Override
  public long reset() {
    long toEnd = numbers.ticks() - elapsed();
    if (current.signum() > 0) {
      return (toEnd + numbers.ticks()) * numbers.tick();
    }
    return previous.signum() > 0 ? toEnd * numbers.tick() : 0;
  }

  /**
   * Until enough of the previous window has slid out; or, if the current one alone leaves no room,
   * until it has become the previous one and enough of it has slid out.
   */
  @Override
  long timeUntilFits(long cost) {
    Rational window = Rational.of(numbers.ticks());
    Rational room = Rational.of(limit().capacity() - cost);
    Rational over = Rational.of(current).minus(room);
    long ticks;
    if (over.signum() <= 0) {
      Rational slidOut = over.plus(Rational.of(previous)).times(window);
      ticks = slidOut.over(Rational.of(previous)).ceil().longValueExact() - elapsed();
    } else {
      Rational slidOut = over.times(window).over(Rational.of(current));
      ticks = numbers.ticks() - elapsed() + slidOut.ceil().longValueExact();
    }
    return ticks * numbers.tick();
  }

  @Override
  public long tick() {
    return numbers.tick();
  }

  @Override
  Limit limit() {
    return numbers.limit();
  }

  @Override
  public SlidingWindowReference copy() {
    SlidingWindowReference copy = new SlidingWindowReference(keyHash);
    copy.numbers = numbers;
    copy.used = used;
    copy.now = now;
    copy.end = end;
    copy.previous = previous;
    copy.current = current;
    copy.other = other;
    return copy;
  }

  @Override
  public String toString() {
    return previous
        + " before and "
        + current
        + " in the window until "
        + end
        + (other == null ? "" : ", " + other);
  }
}
