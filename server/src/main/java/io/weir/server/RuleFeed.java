package io.weir.server;

import io.weir.Weir;
import io.weir.rule.RuleSet;
import io.weir.rules.AttributeSource;
import io.weir.rules.Loaded;
import io.weir.rules.Problem;
import io.weir.rules.RuleDiff;
import io.weir.rules.RuleFile;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings rules from their file into a running Weir, and tells the log what has changed. */
final class RuleFeed implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RuleFeed.class);
  private static final int MOST_LINES = 20;

  private final @Nullable RuleFile file;
  private final RuleSet first;
  private final boolean stale;

  private RuleFeed(@Nullable RuleFile file, RuleSet first, boolean stale) {
    this.file = file;
    this.first = first;
    this.stale = stale;
  }

  /**
   * Reads the rules to start with: those in the file, or the last good ones if there are any.
   * Without a file there are none.
   *
   * @param source what calls can have; rules that ask for more are warned about
   * @throws ConfigException if there is a file, and neither
   */
  static RuleFeed open(Optional<Path> rules, Optional<Path> stateFolder, AttributeSource source)
      throws ConfigException {
    if (rules.isEmpty()) {
      return new RuleFeed(null, RuleSet.EMPTY, false);
    }
    Path path = rules.get();
    RuleFile file = RuleFile.at(path, stateFolder, source);
    Loaded loaded = file.load();
    if (loaded.ruleSet().isEmpty()) {
      throw new ConfigException(loaded.problems().stream().map(Problem::toString).toList());
    }
    if (!loaded.errors().isEmpty()) {
      LOG.warn("rules: {} is invalid; the last good rules are in use", path);
    }
    report(loaded);
    return new RuleFeed(file, loaded.ruleSet().get(), !loaded.errors().isEmpty());
  }

  /** The rules to start with. */
  RuleSet first() {
    return first;
  }

  /** From now on every valid change is taken over. */
  void follow(Weir weir, Metrics metrics) {
    show(first, metrics);
    if (stale) {
      metrics.staleness().stale(Staleness.Source.RULES);
    }
    RuleFile followed = file;
    if (followed != null) {
      followed.watch(loaded -> take(loaded, followed.changed(), weir, metrics));
    }
  }

  private static void take(Loaded loaded, Optional<Instant> changed, Weir weir, Metrics metrics) {
    report(loaded);
    if (loaded.ruleSet().isEmpty()) {
      metrics.staleness().stale(Staleness.Source.RULES);
      LOG.warn("rules: the change is invalid; the rules in use stay");
      return;
    }
    RuleSet next = loaded.ruleSet().get();
    RuleSet before = weir.rules();
    if (!next.equals(before)) {
      // Where only comments change, no lease need go back, and the version stays.
      weir.rules(next);
      show(next, metrics);
      changed.ifPresent(at -> metrics.propagated(Duration.between(at, Instant.now())));
    }
    boolean again = metrics.staleness().fresh(Staleness.Source.RULES);
    List<String> changes = RuleDiff.between(before, next).stream().map(Object::toString).toList();
    LOG.info(
        "rules: {}{}",
        again ? "valid again; " : changes.isEmpty() ? "read again, " : "",
        changes.isEmpty() ? "nothing changes" : sentence(changes));
  }

  private static void show(RuleSet rules, Metrics metrics) {
    metrics.rules(rules);
    if (metrics.folded() > 0) {
      LOG.info(
          "rules: {} of {} rules have no metrics of their own and are counted as rule=\"{}\"",
          metrics.folded(),
          rules.rules().size(),
          RuleDecisions.OTHER);
    }
  }

  private static String sentence(List<String> changes) {
    String shown = changes.stream().limit(MOST_LINES).collect(Collectors.joining("; "));
    return changes.size() > MOST_LINES
        ? shown + "; and " + (changes.size() - MOST_LINES) + " more changes"
        : shown;
  }

  private static void report(Loaded loaded) {
    List<Problem> problems = loaded.problems();
    problems.stream().limit(MOST_LINES).forEach(problem -> LOG.warn("rules: {}", problem));
    if (problems.size() > MOST_LINES) {
      LOG.warn("rules: and {} more problems", problems.size() - MOST_LINES);
    }
  }

  @Override
  public void close() {
    if (file != null) {
      file.close();
    }
  }
}
