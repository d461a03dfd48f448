package io.weir.testkit.reference;

import io.weir.LeakyBucket;
import io.weir.Limit;
import io.weir.TokenBucket;
import io.weir.base.Micros;
import java.math.BigInteger;
import java.time.Duration;

/**
 * The two buckets. Their state is the <em>deficit</em>: the tokens taken and not yet refilled.
 *
 * <p>A token bucket of burst B holds B − deficit; a leaky bucket's backlog is its deficit and its
 * capacity Q + 1. Both drain continuously at the rate. Continuously means: with every tick, the
 * smallest of 1, 10, 100 and 1000 µs in which the numbers stay below 2^53.
 */
final class BucketReference extends Reference {
  private State written = new State(Numbers.NONE, Rational.ZERO, Rational.ZERO, 0);
  private Numbers numbers = Numbers.NONE;
  private Rational deficit = Rational.ZERO;
  private Rational total = Rational.ZERO;
  private long time;

  /**
   * The stored state.
   *
   * @param numbers those of the last call that changed anything
   * @param deficit the deficit under these numbers
   * @param total all tokens taken and not yet refilled; more than the deficit where the numbers
   *     have clipped it
   */
  private record State(Numbers numbers, Rational deficit, Rational total, long time) {}

  /**
   * A bucket's numbers.
   *
   * @param tick in µs
   * @param perTick tokens refilled with each tick
   * @param unit number of units in a token: the smallest for which each tick refills a whole number
   *     of units
   */
  private record Numbers(Limit limit, long tick, Rational perTick, BigInteger unit) {
    static final Numbers NONE = of(new TokenBucket(0, Duration.ofSeconds(1), 0, ""));

    static Numbers of(Limit limit) {
      if (limit instanceof TokenBucket bucket) {
        return of(limit, bucket.rate(), bucket.period());
      }
      LeakyBucket bucket = (LeakyBucket) limit;
      return of(limit, bucket.rate(), bucket.period());
    }

    private static Numbers of(Limit limit, long rate, Duration period) {
      if (rate == 0) {
        return new Numbers(limit, 1, Rational.ZERO, BigInteger.ONE);
      }
      long micros = Micros.of(period);
      for (long tick : new long[] {1, 10, 100, 1000}) {
        Rational ticksPerToken = Rational.of(micros / tick, rate);
        BigInteger unit = ticksPerToken.numerator();
        BigInteger full = unit.multiply(BigInteger.valueOf(limit.capacity()));
        if (unit.compareTo(BigInteger.ONE.shiftLeft(37)) <= 0
            && full.compareTo(BigInteger.valueOf(MAX_EXACT)) <= 0) {
          return new Numbers(limit, tick, Rational.of(1).over(ticksPerToken), unit);
        }
      }
      throw new IllegalArgumentException(limit + " should have been refused at load");
    }

    Rational capacity() {
      return Rational.of(limit.capacity());
    }

    Rational tokens(long units) {
      return new Rational(BigInteger.valueOf(units), unit);
    }
  }

  @Override
  public void open(Limit limit, long now) {
    Numbers old = written.numbers();
    numbers = Numbers.of(limit);
    deficit = written.deficit();
    total = written.total();
    boolean otherUnit = !numbers.unit().equals(old.unit());
    boolean otherBurst = !numbers.capacity().equals(old.capacity());
    if (otherUnit) {
      deficit = inNewUnits(deficit);
      total = inNewUnits(total);
    }
    if (old.capacity().compareTo(numbers.capacity()) < 0) {
      deficit = total;
    }
    if (otherUnit || otherBurst) {
      deficit = deficit.min(numbers.capacity());
    }
    deficit = drained(deficit, written.time(), now);
    total = drained(total, written.time(), now);
    time = Math.floorDiv(now, numbers.tick()) * numbers.tick();
    if (remembers() && now < written.time()) {
      written = new State(old, written.deficit(), written.total(), time);
    }
  }

  /** Whether state is stored; a rate of 0 would never refill, so nothing is stored under it. */
  private boolean remembers() {
    return numbers.perTick().signum() > 0;
  }

  /** Changes the deficit; the clipped part stays on top. */
  private void write(Rational next) {
    Rational most = numbers.tokens(MAX_EXACT);
    total = next.plus(total.minus(deficit)).min(most);
    deficit = next;
    remember();
  }

  private void remember() {
    if (remembers()) {
      written = new State(numbers, deficit, total, time);
    }
  }

  /** Whole tokens are exact; the rest is rounded up to a 65,536th of a token, then to a unit. */
  private Rational inNewUnits(Rational deficit) {
    BigInteger unit = numbers.unit();
    Rational whole = Rational.of(deficit.floor());
    Rational parts = Rational.of(65_536);
    Rational rest = Rational.of(deficit.minus(whole).times(parts).ceil());
    BigInteger units = rest.times(Rational.of(unit)).over(parts).ceil();
    return whole.plus(new Rational(units, unit)).min(numbers.tokens(MAX_EXACT));
  }

  /** An earlier deficit after the ticks that have passed since; unchanged if time went back. */
  private Rational drained(Rational deficit, long since, long now) {
    long tick = numbers.tick();
    long ticks = Math.floorDiv(now, tick) + Math.floorDiv(-since, tick);
    Rational back = numbers.perTick().times(Rational.of(Math.max(0, ticks)));
    return deficit.minus(back).max(Rational.ZERO);
  }

  @Override
  boolean fits(long cost) {
    return deficit.plus(Rational.of(cost)).atMost(numbers.capacity());
  }

  @Override
  public void take(long cost, long permit) {
    write(deficit.plus(Rational.of(cost)));
  }

  @Override
  public void charge(long amount) {
    write(deficit.plus(Rational.of(amount)).min(numbers.tokens(MAX_EXACT)));
  }

  @Override
  public void countDenied(long cost) {
    Rational most = numbers.capacity().times(Rational.of(2)).min(numbers.tokens(MAX_EXACT));
    write(deficit.max(deficit.plus(Rational.of(cost)).min(most)));
  }

  @Override
  public void giveBack(long amount, ReferenceReceipt receipt) {
    if (limit() instanceof TokenBucket || nothingTakenSince(receipt)) {
      deficit = deficit.minus(Rational.of(amount)).max(Rational.ZERO);
      total = total.minus(Rational.of(amount)).max(Rational.ZERO);
    }
    remember();
  }

  private boolean nothingTakenSince(ReferenceReceipt receipt) {
    Rational then = new Rational(receipt.used(), numbers.unit());
    return deficit.equals(drained(then, receipt.time(), time));
  }

  @Override
  public ReferenceReceipt receipt() {
    return new ReferenceReceipt(time, deficit.times(Rational.of(numbers.unit())).floor());
  }

  @Override
  public long remaining() {
    return numbers.capacity().minus(deficit).max(Rational.ZERO).floor().longValueExact();
  }

  @Override
  public long reset() {
    return timeFor(deficit);
  }

  @Override
  long timeUntilFits(long cost) {
    return timeFor(deficit.plus(Rational.of(cost)).minus(numbers.capacity()));
  }

  @Override
  public long delay() {
    return limit() instanceof LeakyBucket ? timeFor(deficit) : 0;
  }

  /** Whole ticks until this many tokens are refilled, in µs. */
  private long timeFor(Rational tokens) {
    if (numbers.perTick().signum() == 0) {
      return 0;
    }
    return tokens.over(numbers.perTick()).ceil().longValueExact() * numbers.tick();
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
  public BucketReference copy() {
    BucketReference copy = new BucketReference();
    copy.written = written;
    copy.numbers = numbers;
    copy.deficit = deficit;
    copy.total = total;
    copy.time = time;
    return copy;
  }

  @Override
  public String toString() {
    return "deficit "
        + written.deficit()
        + " of "
        + written.total()
        + " at "
        + written.time()
        + " under "
        + written.numbers().limit();
  }
}
