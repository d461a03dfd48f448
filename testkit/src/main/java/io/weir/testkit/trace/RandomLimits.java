package io.weir.testkit.trace;

import io.weir.Algorithm;
import io.weir.Concurrency;
import io.weir.FixedWindow;
import io.weir.LeakyBucket;
import io.weir.Limit;
import io.weir.Quota;
import io.weir.SlidingLog;
import io.weir.SlidingWindow;
import io.weir.TokenBucket;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Optional;
import java.util.function.Supplier;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/**
 * Random limits: from one a day to a million a second, rates that divide nothing, bursts to 10^8,
 * and occasionally a limit of 0. Numbers that a rule document rejects are excluded.
 */
public final class RandomLimits {
  private static final long MILLION = 1_000_000;

  private RandomLimits() {}

  /** Any limit of this algorithm. */
  public static Arbitrary<Limit> of(Algorithm algorithm) {
    return switch (algorithm) {
      case TOKEN_BUCKET ->
          loadable(rates(), periods(), bursts(), (r, p, b) -> new TokenBucket(r, p, b, ""));
      case LEAKY_BUCKET -> leakyBuckets();
      case FIXED_WINDOW ->
          loadable(counts(), periods(), flags(), (n, w, a) -> new FixedWindow(n, w, a, ""));
      case SLIDING_WINDOW ->
          loadable(counts(), periods(), flags(), (n, w, a) -> new SlidingWindow(n, w, a, ""));
      case SLIDING_LOG ->
          loadable(
              Arbitraries.longs().between(0, 10_000),
              periods(),
              flags(),
              (n, w, unused) -> new SlidingLog(n, w, ""));
      case QUOTA ->
          loadable(
              counts(),
              Arbitraries.of(Quota.Period.values()),
              zones(),
              (n, period, zone) -> new Quota(n, period, zone, ""));
      case CONCURRENCY ->
          loadable(
              Arbitraries.longs().between(0, 50),
              periods(),
              flags(),
              (n, ttl, unused) -> new Concurrency(n, ttl, ""));
    };
  }

  /**
   * A limit with one number taken from another of the same algorithm; that other limit itself if a
   * rule document would reject the mixture.
   *
   * @param which of the numbers, from 0 to 2
   */
  static Limit near(Limit limit, Limit other, int which) {
    return mix(limit, other, which).orElse(other);
  }

  private static Optional<Limit> mix(Limit limit, Limit other, int which) {
    return ifLoadable(
        () ->
            switch (limit.algorithm()) {
              case TOKEN_BUCKET -> mix((TokenBucket) limit, (TokenBucket) other, which);
              case LEAKY_BUCKET -> mix((LeakyBucket) limit, (LeakyBucket) other, which);
              case FIXED_WINDOW -> {
                FixedWindow a = (FixedWindow) limit;
                yield which == 0
                    ? new FixedWindow(a.count(), other.window(), a.aligned(), "")
                    : new FixedWindow(other.capacity(), a.window(), a.aligned(), "");
              }
              case SLIDING_WINDOW -> {
                SlidingWindow a = (SlidingWindow) limit;
                yield which == 0
                    ? new SlidingWindow(a.count(), other.window(), a.aligned(), "")
                    : new SlidingWindow(other.capacity(), a.window(), a.aligned(), "");
              }
              case SLIDING_LOG ->
                  which == 0
                      ? new SlidingLog(limit.capacity(), other.window(), "")
                      : new SlidingLog(other.capacity(), limit.window(), "");
              case QUOTA -> {
                Quota a = (Quota) limit;
                yield new Quota(other.capacity(), a.period(), a.zone(), "");
              }
              case CONCURRENCY -> {
                Concurrency a = (Concurrency) limit;
                yield new Concurrency(other.capacity(), a.permitTtl(), "");
              }
            });
  }

  private static Limit mix(TokenBucket a, TokenBucket b, int which) {
    return switch (which) {
      case 0 -> new TokenBucket(b.rate(), a.period(), a.burst(), "");
      case 1 -> new TokenBucket(a.rate(), b.period(), a.burst(), "");
      default -> new TokenBucket(a.rate(), a.period(), b.burst(), "");
    };
  }

  private static Limit mix(LeakyBucket a, LeakyBucket b, int which) {
    return switch (which) {
      case 0 -> new LeakyBucket(b.rate(), a.period(), a.queue(), a.maxWait(), "");
      case 1 -> new LeakyBucket(a.rate(), a.period(), a.queue(), b.maxWait(), "");
      default -> new LeakyBucket(a.rate(), a.period(), b.queue(), a.maxWait(), "");
    };
  }

  private static Arbitrary<Limit> leakyBuckets() {
    Arbitrary<Duration> waits =
        Arbitraries.frequencyOf(
            Tuple.of(3, Arbitraries.just(LeakyBucket.NO_MAX_WAIT)), Tuple.of(1, periods()));
    return waits.flatMap(
        wait ->
            loadable(
                rates(),
                periods(),
                bursts(),
                (r, p, b) -> new LeakyBucket(r, p, Math.max(0, b - 1), wait, "")));
  }

  private interface LimitFactory<A, B, C> {
    Limit make(A a, B b, C c);
  }

  private static <A, B, C> Arbitrary<Limit> loadable(
      Arbitrary<A> as, Arbitrary<B> bs, Arbitrary<C> cs, LimitFactory<A, B, C> maker) {
    return Combinators.combine(as, bs, cs)
        .as((a, b, c) -> ifLoadable(() -> maker.make(a, b, c)))
        .filter(Optional::isPresent)
        .map(Optional::get);
  }

  private static Optional<Limit> ifLoadable(Supplier<Limit> maker) {
    try {
      return Optional.of(maker.get());
    } catch (IllegalArgumentException refusedAtLoad) {
      return Optional.empty();
    }
  }

  private static Arbitrary<Long> rates() {
    return Arbitraries.frequencyOf(
        Tuple.of(12, Arbitraries.of(1L, 2L, 3L, 7L, 10L, 60L, 100L, 1000L, 999_983L, MILLION)),
        Tuple.of(12, Arbitraries.longs().between(1, MILLION)),
        Tuple.of(1, Arbitraries.just(0L)));
  }

  private static Arbitrary<Long> bursts() {
    return Arbitraries.frequencyOf(
        Tuple.of(6, Arbitraries.longs().between(1, 10)),
        Tuple.of(6, Arbitraries.longs().between(1, 10_000)),
        Tuple.of(6, Arbitraries.longs().between(1, 100 * MILLION)),
        Tuple.of(3, Arbitraries.just(100 * MILLION)),
        Tuple.of(1, Arbitraries.just(0L)));
  }

  private static Arbitrary<Long> counts() {
    return Arbitraries.frequencyOf(
        Tuple.of(10, Arbitraries.longs().between(1, 10)),
        Tuple.of(10, Arbitraries.longs().between(1, MILLION)),
        Tuple.of(5, Arbitraries.longs().between(1, 1000 * MILLION)),
        Tuple.of(1, Arbitraries.just(0L)));
  }

  private static Arbitrary<Duration> periods() {
    return Arbitraries.frequencyOf(
        Tuple.of(
            8,
            Arbitraries.of(
                Duration.ofMillis(100),
                Duration.ofSeconds(1),
                Duration.ofSeconds(7),
                Duration.ofSeconds(30),
                Duration.ofMinutes(1),
                Duration.ofHours(1),
                Duration.ofDays(1))),
        Tuple.of(1, Arbitraries.longs().between(1, 10).map(Duration::ofMillis)),
        Tuple.of(1, Arbitraries.longs().between(1, 100_000).map(Duration::ofMillis)));
  }

  private static Arbitrary<Boolean> flags() {
    return Arbitraries.of(true, false);
  }

  private static Arbitrary<ZoneId> zones() {
    return Arbitraries.of(
            "UTC", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Chatham")
        .map(ZoneId::of);
  }
}
