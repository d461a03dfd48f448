package io.weir.server.state;

import io.weir.rule.RuleSet;
import io.weir.rules.AttributeSource;
import io.weir.rules.ReloadableFiles;
import io.weir.rules.RuleFile;
import io.weir.rules.diff.RuleDiff;
import io.weir.server.config.ConfigException;
import io.weir.server.metrics.ConfigStaleness;
import io.weir.server.metrics.Metrics;
import io.weir.server.metrics.RuleDecisions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reloads rules from their file into a running engine, and logs the changes. */
public final class RuleReloader implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RuleReloader.class);
  private static final int MAX_CHANGES = 20;
  private static final Reloader.Subject RULES =
      new Reloader.Subject(
          LOG,
          "rules",
          ConfigStaleness.Source.RULES,
          "the last good rules are in force",
          "the rules in force are kept");

  private final Reloader<RuleSet> reloader;
  private final Supplier<Optional<Instant>> changed;

  private RuleReloader(Reloader<RuleSet> reloader, Supplier<Optional<Instant>> changed) {
    this.reloader = reloader;
    this.changed = changed;
  }

  /**
   * Reads the initial rules: from the file, or the last good ones if the file is invalid. Without a
   * file there are none.
   *
   * @param source the attributes that calls can have; rules that need others cause a warning
   * @throws ConfigException if there is an invalid file and there are no last good rules
   */
  public static RuleReloader open(
      Optional<Path> rules, Optional<Path> stateFolder, AttributeSource source)
      throws ConfigException {
    if (rules.isEmpty()) {
      return new RuleReloader(Reloader.fixed(RULES, RuleSet.EMPTY), Optional::empty);
    }
    RuleFile file = RuleFile.at(rules.get(), stateFolder, source);
    return new RuleReloader(Reloader.open(RULES, rules.get(), file), file::changed);
  }

  /** The rules to start with. */
  public RuleSet initialRules() {
    return reloader.first();
  }

  /** Starts to poll the file. Every valid change takes effect. */
  public void follow(RuleSink sink, Metrics metrics) {
    reloader.follow(
        ReloadableFiles.POLL_INTERVAL, metrics.staleness(), new Target(sink, metrics, changed));
  }

  private record Target(RuleSink sink, Metrics metrics, Supplier<Optional<Instant>> changed)
      implements Reloader.Target<RuleSet> {
    @Override
    public void start(RuleSet first) {
      sink.start();
    }

    @Override
    public Reloader.Change apply(RuleSet next) {
      Optional<Instant> changedAt = changed.get();
      RuleSet before = sink.rules();
      // If only comments change, leases are kept and the version stays the same.
      boolean applied = sink.replace(next) && !next.equals(before);
      if (applied) {
        changedAt.ifPresent(at -> metrics.onRulesPropagated(Duration.between(at, Instant.now())));
      }
      List<String> changes = applied ? changes(before, next) : List.of();
      return changes.isEmpty()
          ? new Reloader.Change(false, "no changes")
          : new Reloader.Change(true, sentence(changes));
    }
  }

  /** Creates the metrics of a rule set in force. */
  public static void show(RuleSet rules, Metrics metrics) {
    metrics.rules(rules);
    if (metrics.folded() > 0) {
      LOG.info(
          "rules: {} of {} rules have no metrics of their own and are counted as rule=\"{}\"",
          metrics.folded(),
          rules.rules().size(),
          RuleDecisions.OTHER);
    }
  }

  private static List<String> changes(RuleSet before, RuleSet after) {
    return RuleDiff.between(before, after).stream().map(Object::toString).toList();
  }

  /** The changes from one rule set to another, for the log. */
  public static String describe(RuleSet before, RuleSet after) {
    List<String> changes = changes(before, after);
    return changes.isEmpty() ? "no changes" : sentence(changes);
  }

  private static String sentence(List<String> changes) {
    String shown = changes.stream().limit(MAX_CHANGES).collect(Collectors.joining("; "));
    return changes.size() > MAX_CHANGES
        ? shown + "; and " + (changes.size() - MAX_CHANGES) + " more changes"
        : shown;
  }

  @Override
  public void close() {
    reloader.close();
  }
}
