package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Algorithm;
import io.weir.LeakyBucket;
import io.weir.Limit;
import io.weir.TokenBucket;
import io.weir.base.Micros;
import io.weir.testkit.reference.Rational;
import io.weir.testkit.trace.Trace;
import io.weir.testkit.trace.TraceStep;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * In no interval is more admitted than the algorithm's worst case: every interval from one admitted
 * call to a later one is checked.
 */
class WorstCaseProperties extends LimitPropertyBase {
  private record AdmittedAmount(long at, long cost) {}

  @Property(edgeCases = EdgeCasesMode.NONE)
  void isNeverExceeded(@ForAll("calm") Trace trace) {
    List<AdmittedAmount> admitted = play(trace);
    for (int from = 0; from < admitted.size(); from++) {
      long sum = 0;
      for (int to = from; to < admitted.size(); to++) {
        sum += admitted.get(to).cost();
        long micros = admitted.get(to).at() - admitted.get(from).at();
        assertThat(Rational.of(sum))
            .as("%d in %d µs under %s", sum, micros, trace.limit())
            .isLessThanOrEqualTo(worstCase(trace.limit(), micros));
      }
    }
  }

  /** Maximum that may be admitted between two calls this far apart, both included. */
  private static Rational worstCase(Limit limit, long micros) {
    Rational most = Rational.of(limit.capacity());
    if (limit instanceof TokenBucket bucket) {
      return most.plus(refill(limit, bucket.rate(), bucket.period(), micros));
    }
    if (limit instanceof LeakyBucket bucket) {
      return most.plus(refill(limit, bucket.rate(), bucket.period(), micros));
    }
    if (limit.algorithm() == Algorithm.CONCURRENCY) {
      return micros < Micros.of(((io.weir.Concurrency) limit).permitTtl())
          ? most
          : Rational.of(Long.MAX_VALUE);
    }
    if (limit.algorithm() == Algorithm.QUOTA) {
      return Rational.of(2L).times(most).times(windows(Duration.ofHours(1), micros));
    }
    Rational windows = windows(limit.window(), micros);
    return switch (limit.algorithm()) {
      case FIXED_WINDOW -> Rational.of(2L).times(most).times(windows);
      // Just under 2N.
      case SLIDING_WINDOW ->
          most.signum() == 0 ? most : Rational.of(2 * limit.capacity() - 1).times(windows);
      default -> most.times(windows);
    };
  }

  /** Refill in this time; time is read in ticks, so it can seem longer by less than one. */
  private static Rational refill(Limit limit, long rate, Duration period, long micros) {
    long seeming = micros + tick(limit) - 1;
    return Rational.of(rate).times(Rational.of(seeming, Micros.of(period)));
  }

  /** Number of windows of this length that cover the interval. */
  private static Rational windows(Duration window, long micros) {
    return Rational.of(micros / Micros.of(window) + 1);
  }

  private static List<AdmittedAmount> play(Trace trace) {
    MeterSubject key = new MeterSubject(trace);
    List<AdmittedAmount> admitted = new ArrayList<>();
    long retryAfter = 0;
    for (TraceStep step : trace.steps()) {
      if (step instanceof TraceStep.Take take) {
        var seen = key.take(trace.limit(), take.cost(), admitted.size());
        retryAfter = Math.max(0, seen.retryAfter());
        if (seen.allowed()) {
          admitted.add(new AdmittedAmount(key.now(trace.limit()), take.cost()));
        }
      } else if (step instanceof TraceStep.Pass pass) {
        key.move(pass.micros());
      } else if (step instanceof TraceStep.Await await) {
        key.move(Math.max(0, retryAfter + await.offset()));
      }
    }
    return admitted;
  }
}
