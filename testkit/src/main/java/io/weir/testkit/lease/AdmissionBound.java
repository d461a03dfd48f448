package io.weir.testkit.lease;

import io.weir.TokenBucket;
import io.weir.base.Micros;
import java.math.BigInteger;

/**
 * Checks the admissions of a fleet against their bound: in <em>every</em> window T at most ceiling
 * + rate · T.
 *
 * <p>The bound holds for all windows if and only if a bucket of that ceiling, drawn from by
 * everything admitted, is never overdrawn. So one pass checks all windows exactly.
 */
public final class AdmissionBound implements SimulatedFleet.AdmissionListener {
  private final BigInteger rate;
  private final BigInteger period;
  private BigInteger deficit = BigInteger.ZERO;
  private BigInteger worst = BigInteger.ZERO;
  private long at;
  private long total;

  public AdmissionBound(TokenBucket limit) {
    this.rate = BigInteger.valueOf(limit.rate());
    this.period = BigInteger.valueOf(Micros.of(limit.period()));
  }

  @Override
  public void add(long amount, long micros) {
    drain(rate.multiply(BigInteger.valueOf(micros - at)));
    at = micros;
    deficit = deficit.add(period.multiply(BigInteger.valueOf(amount)));
    worst = worst.max(deficit);
    total += amount;
  }

  @Override
  public void remove(long amount, long micros) {
    drain(rate.multiply(BigInteger.valueOf(micros - at)));
    at = micros;
    drain(period.multiply(BigInteger.valueOf(amount)));
    total -= amount;
  }

  private void drain(BigInteger units) {
    deficit = deficit.subtract(units).max(BigInteger.ZERO);
  }

  /** The smallest ceiling that would have been enough for all windows so far, rounded up. */
  public long ceiling() {
    return worst.add(period).subtract(BigInteger.ONE).divide(period).longValueExact();
  }

  public long total() {
    return total;
  }
}
