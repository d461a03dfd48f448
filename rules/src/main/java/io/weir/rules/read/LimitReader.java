package io.weir.rules.read;

import io.weir.Algorithm;
import io.weir.Concurrency;
import io.weir.FixedWindow;
import io.weir.LeakyBucket;
import io.weir.Limit;
import io.weir.Quota;
import io.weir.SlidingLog;
import io.weir.SlidingWindow;
import io.weir.TokenBucket;
import io.weir.base.ExactNumbers;
import io.weir.base.RateSyntax;
import io.weir.rules.text.Messages;
import io.weir.rules.tree.Location;
import io.weir.rules.tree.MapReader;
import io.weir.rules.tree.TreeNode;
import io.weir.rules.tree.TreeNode.Mapping;
import io.weir.rules.tree.TreeNode.Scalar;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Reads one limit: {@code 100/min}, the longer line that a limit prints as, or a map.
 *
 * <p>An option that the algorithm does not have is an error and never ignored: {@code burst} next
 * to a sliding window would not have the effect its author expects.
 */
public final class LimitReader {
  public static final List<String> FIELDS =
      List.of(
          "algorithm",
          "rate",
          "burst",
          "queue",
          "max_wait",
          "aligned",
          "zone",
          "name",
          "permits",
          "permit_ttl");

  private static final String EXAMPLE = "100/min";

  private static final Map<String, Set<Algorithm>> TAKEN_BY =
      Map.of(
          "rate", EnumSet.complementOf(EnumSet.of(Algorithm.CONCURRENCY)),
          "burst", EnumSet.of(Algorithm.TOKEN_BUCKET),
          "queue", EnumSet.of(Algorithm.LEAKY_BUCKET),
          "max_wait", EnumSet.of(Algorithm.LEAKY_BUCKET),
          "aligned", EnumSet.of(Algorithm.FIXED_WINDOW, Algorithm.SLIDING_WINDOW),
          "zone", EnumSet.of(Algorithm.QUOTA),
          "permits", EnumSet.of(Algorithm.CONCURRENCY),
          "permit_ttl", EnumSet.of(Algorithm.CONCURRENCY));

  private LimitReader() {}

  /** A limit, and the line to report if its capacity is too small. */
  record LocatedLimit(Limit limit, int line) {}

  /** Reads a limit in any form. */
  static Optional<LocatedLimit> read(Location location, TreeNode node) {
    if (node instanceof Scalar scalar && scalar.style() != Scalar.Style.NOTHING) {
      return line(location, scalar).map(limit -> new LocatedLimit(limit, scalar.line()));
    }
    if (node instanceof Mapping map) {
      MapReader fields = MapReader.of(location, map, FIELDS);
      int line = fields.has("burst") ? fields.line("burst") : map.line();
      return map(fields).map(limit -> new LocatedLimit(limit, line));
    }
    location.error(
        node.line(),
        "limit must be " + EXAMPLE + ", or a map of rate and others, not " + node.what());
    return Optional.empty();
  }

  private static Optional<Limit> line(Location location, Scalar scalar) {
    String text = scalar.text().strip();
    boolean word = !text.isEmpty() && text.chars().noneMatch(Character::isDigit);
    if (text.length() > 256 || word || text.isEmpty()) {
      location.error(
          scalar.line(),
          "limit must be such as "
              + EXAMPLE
              + ", a map, a list, 'tier' or 'unlimited', not "
              + Messages.quote(text)
              + Messages.didYouMean(text, List.of("tier", "unlimited")));
      return Optional.empty();
    }
    return location.attempt(
        scalar.line(),
        () -> {
          Limit limit = Limit.parse(text);
          return limit.name().isEmpty() ? limit : limit.named(name(limit.name()));
        });
  }

  /** Reads the fields of a limit's map. */
  static Optional<Limit> map(MapReader fields) {
    Location location = fields.location();
    Optional<Algorithm> given = fields.read("algorithm", "sliding-window", LimitReader::algorithm);
    if (fields.has("algorithm") && given.isEmpty()) {
      return Optional.empty();
    }
    Algorithm algorithm = given.orElse(Algorithm.TOKEN_BUCKET);
    boolean fits = true;
    for (String option : FIELDS) {
      Set<Algorithm> takers = TAKEN_BY.getOrDefault(option, Set.of(algorithm));
      if (fields.has(option) && !takers.contains(algorithm)) {
        location.error(fields.line(option), misplaced(option, algorithm, takers));
        fits = false;
      }
    }
    Optional<Limit> limit = build(fields, algorithm);
    Optional<String> name = fields.read("name", "per-minute", LimitReader::name);
    return fits && limit.isPresent() && name.isPresent() == fields.has("name")
        ? limit.map(l -> l.named(name.orElse("")))
        : Optional.empty();
  }

  private static String misplaced(String option, Algorithm algorithm, Set<Algorithm> takers) {
    if (option.equals("rate")) {
      return "rate means nothing to concurrency; it takes permits";
    }
    return option
        + " means nothing to "
        + algorithm
        + "; "
        + Messages.list(takers.stream().map(Algorithm::id).toList())
        + (takers.size() == 1 ? " takes it" : " take it");
  }

  public static Algorithm algorithm(String id) {
    List<String> known = Arrays.stream(Algorithm.values()).map(Algorithm::id).toList();
    if (!known.contains(id)) {
      throw new IllegalArgumentException(
          "unknown algorithm "
              + Messages.quote(id)
              + "; there are "
              + Messages.list(known)
              + Messages.didYouMean(id, known));
    }
    return Algorithm.of(id);
  }

  private static String name(String name) {
    ExactNumbers.name(name);
    if (name.isEmpty()) {
      throw new IllegalArgumentException("name is empty; leave it out or say what it is");
    }
    if (name.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw new IllegalArgumentException(
          "name " + name + " must not be a number: limits without a name go by theirs");
    }
    return name;
  }

  private static Optional<Limit> build(MapReader fields, Algorithm algorithm) {
    String required = algorithm == Algorithm.CONCURRENCY ? "permits" : "rate";
    if (!fields.has(required)) {
      String example = algorithm == Algorithm.CONCURRENCY ? "50" : EXAMPLE;
      fields
          .location()
          .error(
              fields.line("algorithm"),
              "a " + algorithm + " limit needs " + required + ", such as " + example);
      return Optional.empty();
    }
    return switch (algorithm) {
      case TOKEN_BUCKET -> tokenBucket(fields);
      case LEAKY_BUCKET -> leakyBucket(fields);
      case FIXED_WINDOW -> fixedWindow(fields);
      case SLIDING_WINDOW -> slidingWindow(fields);
      case SLIDING_LOG ->
          rate(fields).flatMap(r -> make(fields, () -> new SlidingLog(r.count(), r.period(), "")));
      case QUOTA -> quota(fields, "rate", "");
      case CONCURRENCY -> concurrency(fields, "permits", "");
    };
  }

  private static Optional<Limit> tokenBucket(MapReader fields) {
    Optional<Long> burst = fields.number("burst", "200");
    Optional<ExactNumbers.Rate> rate = rate(fields);
    if (rate.isEmpty() || burst.isPresent() != fields.has("burst")) {
      return Optional.empty();
    }
    ExactNumbers.Rate r = rate.get();
    String culprit = fields.has("burst") ? "burst" : "rate";
    return fields
        .location()
        .attempt(
            fields.line(r.period().isZero() ? "rate" : culprit),
            () -> new TokenBucket(r.count(), r.period(), burst.orElse(r.count()), ""));
  }

  private static Optional<Limit> leakyBucket(MapReader fields) {
    Optional<Long> queue = fields.number("queue", "10");
    Optional<Duration> maxWait = fields.read("max_wait", "500ms", RateSyntax::parse);
    Optional<ExactNumbers.Rate> rate = rate(fields);
    if (rate.isEmpty()
        || queue.isPresent() != fields.has("queue")
        || maxWait.isPresent() != fields.has("max_wait")) {
      return Optional.empty();
    }
    if (maxWait.isPresent() && queue.isEmpty()) {
      fields
          .location()
          .warning(
              fields.line("max_wait"), "max_wait changes nothing without queue: no call waits");
    }
    ExactNumbers.Rate r = rate.get();
    return make(
        fields,
        () ->
            new LeakyBucket(
                r.count(),
                r.period(),
                queue.orElse(0L),
                maxWait.orElse(LeakyBucket.NO_MAX_WAIT),
                ""));
  }

  private static Optional<Limit> fixedWindow(MapReader fields) {
    Optional<Boolean> aligned = fields.flag("aligned");
    return rate(fields)
        .flatMap(
            r ->
                make(
                    fields,
                    () -> new FixedWindow(r.count(), r.period(), aligned.orElse(false), "")));
  }

  private static Optional<Limit> slidingWindow(MapReader fields) {
    Optional<Boolean> aligned = fields.flag("aligned");
    return rate(fields)
        .flatMap(
            r ->
                make(
                    fields,
                    () -> new SlidingWindow(r.count(), r.period(), aligned.orElse(false), "")));
  }

  /** A quota whose count per period is the value of this field. */
  static Optional<Limit> quota(MapReader fields, String field, String name) {
    Optional<ZoneId> zone = fields.read("zone", "Europe/Berlin", RateSyntax::zone);
    return fields
        .read(field, "1000/day", Quota.Rate::parse)
        .filter(rate -> zone.isPresent() == fields.has("zone"))
        .flatMap(
            rate ->
                fields
                    .location()
                    .attempt(
                        fields.line(field),
                        () ->
                            new Quota(
                                rate.count(), rate.period(), zone.orElse(ZoneOffset.UTC), name)));
  }

  /** A concurrency limit whose number of permits is the value of this field. */
  static Optional<Limit> concurrency(MapReader fields, String field, String name) {
    Optional<Duration> ttl = fields.read("permit_ttl", "60s", RateSyntax::parse);
    return fields
        .number(field, "50")
        .filter(permits -> ttl.isPresent() == fields.has("permit_ttl"))
        .flatMap(
            permits ->
                fields
                    .location()
                    .attempt(
                        fields.line(ttl.isPresent() ? "permit_ttl" : field),
                        () ->
                            new Concurrency(
                                permits, ttl.orElse(Concurrency.DEFAULT_PERMIT_TTL), name)));
  }

  private static Optional<ExactNumbers.Rate> rate(MapReader fields) {
    return fields.read("rate", EXAMPLE, RateSyntax::rate);
  }

  private static Optional<Limit> make(MapReader fields, Supplier<Limit> limit) {
    return fields.location().attempt(fields.line("rate"), limit);
  }
}
