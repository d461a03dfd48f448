package io.weir.testkit.reference;

import io.weir.Limit;
import io.weir.SlidingWindow;
import io.weir.limit.Bounds;
import java.math.BigInteger;
import java.time.Duration;

/**
 * The sliding window: the previous window's count weighs as much as that window still overlaps the
 * last W, as if its calls had been spread evenly.
 *
 * <p>Time within a window is read in ticks, the smallest of 1, 10, 100 and 1000 µs for which 2·N·W
 * stays below 2^53; the largest if it does for none.
 */
final class SlidingWindowReference extends Reference {
  private final long keyHash;
  private Numbers numbers = Numbers.of(Limit.slidingWindow(0, Duration.ofSeconds(1)));
  private boolean used;
  private long now;
  private long end;
  private BigInteger previous = BigInteger.ZERO;
  private BigInteger current = BigInteger.ZERO;

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
      long length = Bounds.micros(limit.window());
      for (long tick : new long[] {1, 10, 100, 1000}) {
        BigInteger product =
            BigInteger.valueOf(2 * limit.count()).multiply(BigInteger.valueOf(length / tick));
        if (product.compareTo(BigInteger.valueOf(MOST)) <= 0) {
          return new Numbers(limit, length, tick);
        }
      }
      return new Numbers(limit, length, 1000);
    }

    /** The window's length in ticks. */
    long ticks() {
      return length / tick;
    }

    /** Beyond this, counts stop. */
    BigInteger most() {
      return BigInteger.valueOf(Math.min(MOST / ticks(), (1L << 32) - 1));
    }
  }

  @Override
  public void open(Limit limit, long now) {
    Numbers next = Numbers.of((SlidingWindow) limit);
    if (used) {
      adopt(next, now);
    }
    this.numbers = next;
    this.used = true;
    this.now = now;
    this.end = endOf(now);
    current = current.min(next.most());
    previous = previous.min(next.most());
  }

  /**
   * Other windows start with the present usage as their current count; where windows changed from
   * one clock to another, nobody can say how old it is, and all of it counts.
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
   * Lets windows pass under the numbers so far; all counts move into the window of a clock put
   * back.
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

  /** What the previous window still weighs: previous × (1 − elapsed/W). */
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
    current = current.add(BigInteger.valueOf(cost));
  }

  @Override
  public void charge(long amount) {
    current = current.add(BigInteger.valueOf(amount)).min(numbers.most());
  }

  @Override
  public void countDenied(long cost) {
    BigInteger most = BigInteger.valueOf(2 * limit().capacity()).min(numbers.most());
    current = current.max(current.add(BigInteger.valueOf(cost)).min(most));
  }

  @Override
  public void giveBack(long amount, Mark mark) {
    if (mark.time() == end) {
      current = current.subtract(BigInteger.valueOf(amount)).max(BigInteger.ZERO);
    } else if (mark.time() == end - numbers.length()) {
      previous = previous.subtract(BigInteger.valueOf(amount)).max(BigInteger.ZERO);
    }
  }

  @Override
  public Mark mark() {
    return new Mark(end, current);
  }

  @Override
  public long remaining() {
    Rational left = Rational.of(limit().capacity()).minus(usage());
    return left.max(Rational.ZERO).floor().longValueExact();
  }

  /** Until both windows weigh nothing: the current one does so for a whole window after its end. */
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
   * until it has become the previous one and enough of it has.
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
    return copy;
  }

  @Override
  public String toString() {
    return previous + " before and " + current + " in the window until " + end;
  }
}
