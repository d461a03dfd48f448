package io.weir;

import io.weir.base.ExactNumbers;
import io.weir.base.RateSyntax;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Parses and prints a limit as one line of text: {@code [algorithm] N/PERIOD [option=value]…}.
 *
 * <p>Options are those of the rule document: {@code burst queue max_wait aligned zone name
 * permit_ttl}. Options with their default value are not printed.
 */
final class LimitSpec {
  private LimitSpec() {}

  /**
   * Parses a limit.
   *
   * @throws IllegalArgumentException with the reason, if the text is not a limit
   */
  static Limit parse(String spec) {
    String[] words = spec.strip().split("\\s+", -1);
    int next = 0;
    Algorithm algorithm = Algorithm.TOKEN_BUCKET;
    if (!words[0].isEmpty() && Character.isLetter(words[0].charAt(0))) {
      algorithm = Algorithm.of(words[next++]);
    }
    if (next == words.length || words[next].isEmpty()) {
      throw ExactNumbers.refused("'" + spec + "' has no number such as 100/min");
    }
    String number = words[next++];
    Map<String, String> options = new LinkedHashMap<>();
    for (; next < words.length; next++) {
      int equals = words[next].indexOf('=');
      String option = equals < 0 ? words[next] : words[next].substring(0, equals);
      String value = equals < 0 ? "true" : words[next].substring(equals + 1);
      if (options.put(option, value) != null) {
        throw ExactNumbers.refused("option '" + option + "' is there twice");
      }
    }
    Limit limit = build(algorithm, number, options).named(take(options, "name", ""));
    if (!options.isEmpty()) {
      throw ExactNumbers.refused(
          "option '" + options.keySet().iterator().next() + "' means nothing to " + algorithm);
    }
    return limit;
  }

  private static Limit build(Algorithm algorithm, String number, Map<String, String> options) {
    if (algorithm == Algorithm.CONCURRENCY) {
      String ttl = take(options, "permit_ttl", null);
      Concurrency limit = Limit.concurrency(RateSyntax.wholeNumber("permits", number));
      return ttl == null ? limit : limit.permitTtl(RateSyntax.parse(ttl));
    }
    if (algorithm == Algorithm.QUOTA) {
      Quota.Rate rate = Quota.Rate.parse(number);
      return Limit.quota(rate.count(), rate.period())
          .in(RateSyntax.zone(take(options, "zone", "UTC")));
    }
    ExactNumbers.Rate rate = RateSyntax.rate(number);
    return switch (algorithm) {
      case TOKEN_BUCKET -> tokenBucket(rate, take(options, "burst", null));
      case LEAKY_BUCKET -> leakyBucket(rate, options);
      case FIXED_WINDOW ->
          new FixedWindow(rate.count(), rate.period(), flag(options, "aligned"), "");
      case SLIDING_WINDOW ->
          new SlidingWindow(rate.count(), rate.period(), flag(options, "aligned"), "");
      case SLIDING_LOG -> Limit.slidingLog(rate.count(), rate.period());
      default -> throw new AssertionError(algorithm);
    };
  }

  private static TokenBucket tokenBucket(ExactNumbers.Rate rate, @Nullable String burst) {
    long tokens = burst == null ? rate.count() : RateSyntax.wholeNumber("burst", burst);
    return new TokenBucket(rate.count(), rate.period(), tokens, "");
  }

  private static LeakyBucket leakyBucket(ExactNumbers.Rate rate, Map<String, String> options) {
    String maxWait = take(options, "max_wait", null);
    return new LeakyBucket(
        rate.count(),
        rate.period(),
        RateSyntax.wholeNumber("queue", take(options, "queue", "0")),
        maxWait == null ? LeakyBucket.NO_MAX_WAIT : RateSyntax.parse(maxWait),
        "");
  }

  private static boolean flag(Map<String, String> options, String name) {
    String value = take(options, name, "false");
    return switch (value) {
      case "true" -> true;
      case "false" -> false;
      default -> throw ExactNumbers.refused(name + " is true or false, not '" + value + "'");
    };
  }

  private static String take(Map<String, String> options, String name, @Nullable String otherwise) {
    String value = options.remove(name);
    return value == null ? otherwise : value;
  }

  /** Prints any limit in the form that {@link #parse} reads. */
  static String print(Limit limit) {
    StringBuilder out = new StringBuilder();
    if (limit.algorithm() != Algorithm.TOKEN_BUCKET) {
      out.append(limit.algorithm().id()).append(' ');
    }
    if (limit instanceof TokenBucket bucket) {
      out.append(RateSyntax.printRate(bucket.rate(), bucket.period()));
      if (bucket.burst() != bucket.rate()) {
        out.append(" burst=").append(bucket.burst());
      }
    } else if (limit instanceof LeakyBucket bucket) {
      out.append(RateSyntax.printRate(bucket.rate(), bucket.period()));
      if (bucket.queue() != 0) {
        out.append(" queue=").append(bucket.queue());
      }
      if (!bucket.maxWait().equals(LeakyBucket.NO_MAX_WAIT)) {
        out.append(" max_wait=").append(RateSyntax.print(bucket.maxWait()));
      }
    } else if (limit instanceof FixedWindow window) {
      out.append(RateSyntax.printRate(window.count(), window.window()));
      out.append(window.aligned() ? " aligned=true" : "");
    } else if (limit instanceof SlidingWindow window) {
      out.append(RateSyntax.printRate(window.count(), window.window()));
      out.append(window.aligned() ? " aligned=true" : "");
    } else if (limit instanceof SlidingLog log) {
      out.append(RateSyntax.printRate(log.count(), log.window()));
    } else if (limit instanceof Quota quota) {
      out.append(quota.count()).append('/').append(quota.period().unit());
      if (!quota.zone().equals(ZoneOffset.UTC)) {
        out.append(" zone=").append(quota.zone().getId());
      }
    } else if (limit instanceof Concurrency concurrency) {
      out.append(concurrency.permits());
      Duration ttl = concurrency.permitTtl();
      if (!ttl.equals(Concurrency.DEFAULT_PERMIT_TTL)) {
        out.append(" permit_ttl=").append(RateSyntax.print(ttl));
      }
    }
    return out.append(limit.name().isEmpty() ? "" : " name=" + limit.name()).toString();
  }
}
