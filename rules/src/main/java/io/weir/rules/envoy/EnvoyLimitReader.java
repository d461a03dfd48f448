package io.weir.rules.envoy;

import io.weir.Algorithm;
import io.weir.FixedWindow;
import io.weir.Limit;
import io.weir.OnFail;
import io.weir.Quota;
import io.weir.TokenBucket;
import io.weir.rules.envoy.EnvoyLimit.Counted;
import io.weir.rules.envoy.EnvoyLimit.LimitOptions;
import io.weir.rules.envoy.EnvoyLimit.Unlimited;
import io.weir.rules.read.LimitReader;
import io.weir.rules.read.RuleReader;
import io.weir.rules.text.Messages;
import io.weir.rules.tree.Location;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Reads {@code rate_limit}: a number of requests per unit, as an algorithm and its numbers. */
final class EnvoyLimitReader {
  /** Maximum of the 32-bit number in Envoy's protocol. */
  private static final long MAX_REQUESTS = (1L << 32) - 1;

  private static final long MAX_BURST = 1L << 52;

  private EnvoyLimitReader() {}

  static Optional<EnvoyLimit> read(EnvoyFields fields) {
    String name = fields.text("name");
    List<String> replaces = replaces(fields, name);
    boolean unlimited = fields.flag("unlimited");
    Optional<EnvoyUnit> unit = EnvoyUnit.named(fields.text("unit"));
    Location location = fields.location();
    if (unlimited) {
      if (unit.isPresent()) {
        location.error(fields.line("unit"), "unlimited and a unit do not go together");
      }
      return Optional.of(new EnvoyLimit(name, new Unlimited(), replaces));
    }
    if (unit.isEmpty()) {
      location.error(
          fields.line("unit"),
          fields.has("unit")
              ? "unknown unit " + Messages.quote(fields.text("unit")) + "; there are " + units()
              : "rate_limit needs a unit, or unlimited: true; there are " + units());
    }
    Optional<Counted> counted = unit.flatMap(known -> counted(fields, known));
    return counted.map(terms -> new EnvoyLimit(name, terms, replaces));
  }

  private static String units() {
    return Messages.list(
        Arrays.stream(EnvoyUnit.values()).map(u -> u.name().toLowerCase(Locale.ROOT)).toList());
  }

  private static List<String> replaces(EnvoyFields fields, String own) {
    List<String> names = new ArrayList<>();
    for (EnvoyFields entry : fields.maps("replaces")) {
      String name = entry.text("name");
      if (name.isEmpty()) {
        entry.location().error(entry.line("name"), "replaces must name a limit");
      } else if (name.equals(own)) {
        entry.location().error(entry.line("name"), "replaces names its own limit");
      } else {
        names.add(name);
      }
    }
    return names;
  }

  private static Optional<Counted> counted(EnvoyFields fields, EnvoyUnit unit) {
    if (!fields.has("requests_per_unit")) {
      fields
          .location()
          .warning(fields.line("unit"), "without requests_per_unit everything is refused");
    }
    long requests = fields.whole("requests_per_unit", 0, MAX_REQUESTS).orElse(0);
    Optional<Limit> limit = limit(fields, requests, unit);
    LimitOptions options = options(fields);
    return limit.map(numbers -> new Counted(requests, unit, numbers, options));
  }

  private static LimitOptions options(EnvoyFields fields) {
    return new LimitOptions(
        fields.read("on_fail", EnvoyLimitReader::onFail).orElse(LimitOptions.DEFAULT.onFail()),
        fields.read("accuracy", RuleReader::accuracy).orElse(LimitOptions.DEFAULT.accuracy()),
        fields.flag("count_denied"));
  }

  private static OnFail onFail(String text) {
    for (OnFail known : OnFail.values()) {
      if (known.name().toLowerCase(Locale.ROOT).equals(text)) {
        return known;
      }
    }
    throw new IllegalArgumentException("on_fail must be local, open or closed, not " + text);
  }

  private static Optional<Limit> limit(EnvoyFields fields, long requests, EnvoyUnit unit) {
    Optional<Algorithm> given = fields.read("algorithm", LimitReader::algorithm);
    if (fields.has("algorithm") && given.isEmpty()) {
      return Optional.empty();
    }
    Algorithm algorithm = given.orElse(Algorithm.FIXED_WINDOW);
    if (fields.has("burst") && algorithm != Algorithm.TOKEN_BUCKET) {
      fields.location().error(fields.line("burst"), "only token-bucket takes burst");
    }
    long burst = fields.whole("burst", 0, MAX_BURST).orElse(requests);
    long times = fields.whole("unit_multiplier", 1, Integer.MAX_VALUE).orElse(1);
    String culprit = fields.has("unit_multiplier") ? "unit_multiplier" : "requests_per_unit";
    return fields
        .location()
        .attempt(fields.line(culprit), () -> limit(algorithm, requests, burst, unit, times));
  }

  private static Limit limit(
      Algorithm algorithm, long requests, long burst, EnvoyUnit unit, long times) {
    Duration period = unit.length().multipliedBy(times);
    return switch (algorithm) {
      case FIXED_WINDOW -> new FixedWindow(requests, period, true, "");
      case TOKEN_BUCKET -> new TokenBucket(requests, period, burst, "");
      case LEAKY_BUCKET -> Limit.leakyBucket(requests, period);
      case SLIDING_WINDOW -> Limit.slidingWindow(requests, period);
      case SLIDING_LOG -> Limit.slidingLog(requests, period);
      case QUOTA -> Limit.quota(requests, calendar(unit, times));
      case CONCURRENCY ->
          throw new IllegalArgumentException(
              "concurrency is not for Envoy, which does not report the end of a call");
    };
  }

  private static Quota.Period calendar(EnvoyUnit unit, long times) {
    if (times == 1) {
      for (Quota.Period period : Quota.Period.values()) {
        if (period.name().equals(unit.name())) {
          return period;
        }
      }
    }
    throw new IllegalArgumentException("a quota is per hour, day, week or month of the calendar");
  }
}
