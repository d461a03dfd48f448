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
import io.weir.base.ExactNumbers.Rate;
import io.weir.base.RateSyntax;
import io.weir.rules.read.LimitReader.LocatedLimit;
import io.weir.rules.tree.Location;
import io.weir.rules.tree.MapReader;
import io.weir.rules.tree.TreeNode;
import io.weir.rules.tree.TreeNode.Scalar;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads {@code candidate}: other numbers for the limits of a rule, one for each, of the same
 * algorithm. {@code N/PERIOD} alone changes the rate and keeps the other options of the limit.
 */
final class CandidateReader {
  private final MapReader fields;
  private final Location location;
  private final List<LocatedLimit> listed;

  private CandidateReader(MapReader fields, List<LocatedLimit> listed) {
    this.fields = fields;
    this.location = fields.location().within("candidate");
    this.listed = listed;
  }

  /**
   * Reads the candidate of a rule; empty if it has none.
   *
   * @param listed the limits of the rule, all of which could be read
   */
  static List<LocatedLimit> read(MapReader fields, List<LocatedLimit> listed) {
    return new CandidateReader(fields, listed).read();
  }

  private List<LocatedLimit> read() {
    List<TreeNode> items = fields.in(location).items("candidate");
    if (items.isEmpty()) {
      return List.of();
    }
    if (items.size() != listed.size()) {
      location.error(
          fields.line("candidate"),
          "needs a number for each of the "
              + listed.size()
              + " limits in the order of limit, and has "
              + items.size());
      return List.of();
    }
    List<LocatedLimit> candidates = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      one(items.get(i), listed.get(i).limit()).ifPresent(candidates::add);
    }
    return candidates.size() == items.size() ? candidates : List.of();
  }

  private Optional<LocatedLimit> one(TreeNode node, Limit limit) {
    if (node instanceof Scalar word && RuleReader.isAlone(word.text())) {
      location.error(word.line(), "must be a limit such as 50/s, not " + word.what());
      return Optional.empty();
    }
    Optional<LocatedLimit> read =
        node instanceof Scalar scalar && isRate(scalar.text(), limit)
            ? location
                .attempt(scalar.line(), () -> withRate(limit, scalar.text().strip()))
                .map(candidate -> new LocatedLimit(candidate, scalar.line()))
            : LimitReader.read(location, node);
    return read.flatMap(candidate -> comparable(candidate, limit));
  }

  /** Whether a text is {@code N/PERIOD} alone, or was meant to be. */
  private static boolean isRate(String text, Limit limit) {
    return limit.algorithm() != Algorithm.CONCURRENCY
        && text.indexOf('/') > 0
        && text.strip().indexOf(' ') < 0;
  }

  private Optional<LocatedLimit> comparable(LocatedLimit read, Limit limit) {
    Limit candidate = read.limit();
    if (candidate.algorithm() != limit.algorithm()) {
      location.error(
          read.line(),
          candidate + " must be a " + limit.algorithm() + " as limit " + limit + " is");
      return Optional.empty();
    }
    if (!candidate.name().isEmpty() && !candidate.name().equals(limit.name())) {
      location.error(read.line(), "name " + candidate.name() + " is not that of limit " + limit);
      return Optional.empty();
    }
    Limit named = candidate.named(limit.name());
    if (named.equals(limit)) {
      location.warning(read.line(), "is the same as the limit, so it shows nothing");
    }
    return Optional.of(new LocatedLimit(named, read.line()));
  }

  /** A limit at another rate. A burst that was not stated follows the rate. */
  private static Limit withRate(Limit limit, String text) {
    if (limit instanceof Quota quota) {
      Quota.Rate rate = Quota.Rate.parse(text);
      return new Quota(rate.count(), rate.period(), quota.zone(), quota.name());
    }
    Rate rate = RateSyntax.rate(text);
    if (limit instanceof TokenBucket bucket) {
      long burst = bucket.burst() == bucket.rate() ? rate.count() : bucket.burst();
      return new TokenBucket(rate.count(), rate.period(), burst, bucket.name());
    } else if (limit instanceof LeakyBucket leaky) {
      return new LeakyBucket(
          rate.count(), rate.period(), leaky.queue(), leaky.maxWait(), leaky.name());
    } else if (limit instanceof FixedWindow window) {
      return new FixedWindow(rate.count(), rate.period(), window.aligned(), window.name());
    } else if (limit instanceof SlidingWindow window) {
      return new SlidingWindow(rate.count(), rate.period(), window.aligned(), window.name());
    } else if (limit instanceof SlidingLog log) {
      return new SlidingLog(rate.count(), rate.period(), log.name());
    }
    throw new IllegalArgumentException(((Concurrency) limit) + " has no rate");
  }
}
