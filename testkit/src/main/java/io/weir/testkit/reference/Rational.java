package io.weir.testkit.reference;

import java.math.BigInteger;

/** An exact fraction in lowest terms. */
public record Rational(BigInteger numerator, BigInteger denominator)
    implements Comparable<Rational> {
  public static final Rational ZERO = of(0);

  public Rational {
    if (denominator.signum() == 0) {
      throw new ArithmeticException("division by zero");
    }
    BigInteger divisor = numerator.gcd(denominator);
    if (denominator.signum() < 0) {
      divisor = divisor.negate();
    }
    numerator = numerator.divide(divisor);
    denominator = denominator.divide(divisor);
  }

  public static Rational of(long whole) {
    return new Rational(BigInteger.valueOf(whole), BigInteger.ONE);
  }

  public static Rational of(BigInteger whole) {
    return new Rational(whole, BigInteger.ONE);
  }

  public static Rational of(long numerator, long denominator) {
    return new Rational(BigInteger.valueOf(numerator), BigInteger.valueOf(denominator));
  }

  public Rational plus(Rational other) {
    return new Rational(
        numerator.multiply(other.denominator).add(other.numerator.multiply(denominator)),
        denominator.multiply(other.denominator));
  }

  public Rational minus(Rational other) {
    return plus(new Rational(other.numerator.negate(), other.denominator));
  }

  public Rational times(Rational other) {
    return new Rational(
        numerator.multiply(other.numerator), denominator.multiply(other.denominator));
  }

  public Rational over(Rational other) {
    return new Rational(
        numerator.multiply(other.denominator), denominator.multiply(other.numerator));
  }

  public BigInteger floor() {
    BigInteger[] parts = numerator.divideAndRemainder(denominator);
    return parts[1].signum() < 0 ? parts[0].subtract(BigInteger.ONE) : parts[0];
  }

  public BigInteger ceil() {
    BigInteger[] parts = numerator.divideAndRemainder(denominator);
    return parts[1].signum() > 0 ? parts[0].add(BigInteger.ONE) : parts[0];
  }

  public Rational max(Rational other) {
    return compareTo(other) >= 0 ? this : other;
  }

  public Rational min(Rational other) {
    return compareTo(other) <= 0 ? this : other;
  }

  public int signum() {
    return numerator.signum();
  }

  public boolean atMost(Rational other) {
    return compareTo(other) <= 0;
  }

  @Override
  public int compareTo(Rational other) {
    return numerator.multiply(other.denominator).compareTo(other.numerator.multiply(denominator));
  }

  @Override
  public String toString() {
    return denominator.equals(BigInteger.ONE) ? "" + numerator : numerator + "/" + denominator;
  }
}
