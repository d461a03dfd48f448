package io.weir.rules.read;

import io.weir.Algorithm;
import io.weir.Mode;
import io.weir.OnFail;
import io.weir.limit.LimitDivision;
import io.weir.rule.Accuracy;
import io.weir.rule.Cost;
import io.weir.rule.Match;
import io.weir.rule.OnMissing;
import io.weir.rule.Rule;
import io.weir.rule.RuleLimits;
import io.weir.rule.RuleOptions;
import io.weir.rule.Schedule;
import io.weir.rule.Scope;
import io.weir.rules.read.LimitReader.LocatedLimit;
import io.weir.rules.read.ScheduleReader.LocatedSchedule;
import io.weir.rules.tree.Location;
import io.weir.rules.tree.MapReader;
import io.weir.rules.tree.MapReader.LocatedText;
import io.weir.rules.tree.TreeNode;
import io.weir.rules.tree.TreeNode.Scalar;
import io.weir.rules.tree.TreeNode.Sequence;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads one rule, field by field, in the order of the table in the user documentation. */
public final class RuleReader {
  public static final List<String> FIELDS =
      List.of(
          "id",
          "match",
          "except",
          "key",
          "limit",
          "cost",
          "scope",
          "replaces",
          "schedule",
          "mode",
          "percent",
          "on_fail",
          "local_factor",
          "on_missing",
          "accuracy",
          "shards",
          "count_denied",
          "on_limit",
          "headers",
          "expires",
          "penalty",
          "candidate",
          "description",
          "owner");

  /** The modes of the rule document. */
  public static final List<Mode> MODES = List.of(Mode.ENFORCE, Mode.SHADOW, Mode.OFF);

  private static final int MAX_SHARDS = 1024;

  private final String id;
  private final MapReader fields;
  private final Location location;
  private final List<LocatedLimit> listed = new ArrayList<>();

  private RuleReader(String id, MapReader fields) {
    this.id = id;
    this.fields = fields;
    this.location = fields.location();
  }

  /**
   * Reads a rule.
   *
   * @param errorsBefore number of errors before its fields were read
   */
  static RuleDraft read(String id, MapReader fields, int errorsBefore, Instant now) {
    return new RuleReader(id, fields).read(errorsBefore, now);
  }

  private RuleDraft read(int errorsBefore, Instant now) {
    Rule.Builder rule = Rule.named(id);
    MatchReader.read(fields, "match").ifPresent(rule::match);
    Optional<Match> except = MatchReader.read(fields, "except");
    except.ifPresent(rule::except);
    Optional<List<String>> key = key();
    key.ifPresent(parts -> rule.key(parts.toArray(String[]::new)));
    Optional<RuleLimits> limits = limits();
    limits.ifPresent(rule::limits);
    Optional<Cost> cost = CostReader.read(fields);
    cost.ifPresent(rule::cost);
    fields.choice("scope", Scope.class).ifPresent(rule::scope);
    List<LocatedText> replaces = fields.texts("replaces", "ip-default");
    rule.replaces(replaces.stream().map(LocatedText::text).toArray(String[]::new));
    List<LocatedSchedule> schedules = ScheduleReader.read(fields);
    rule.schedule(schedules.stream().map(LocatedSchedule::schedule).toArray(Schedule[]::new));
    Optional<Mode> mode = fields.choice("mode", MODES);
    mode.ifPresent(rule::mode);
    percent(key).ifPresent(rule::percent);
    Optional<OnFail> onFail = fields.choice("on_fail", OnFail.class);
    onFail.ifPresent(rule::onFail);
    fields.read("local_factor", "0.5", ScheduleReader::factor).ifPresent(rule::localFactor);
    fields.choice("on_missing", OnMissing.class).ifPresent(rule::onMissing);
    fields.read("accuracy", "1%", RuleReader::accuracy).ifPresent(rule::accuracy);
    int shards = shards();
    rule.shards(shards);
    rule.countDenied(countDenied());
    RuleOptionsReader more = new RuleOptionsReader(fields, limits);
    RuleOptions options = more.read(now, onFail);
    List<LocatedLimit> candidate = more.candidate(mode.orElse(Mode.ENFORCE), options, listed);
    rule.options(candidate.isEmpty() ? options : options.candidate(limitsOf(candidate)));
    fields.text("description", "\"Protects the search\"").ifPresent(rule::description);
    fields.text("owner", "team-search").ifPresent(rule::owner);
    Optional<Rule> whole =
        location.errors() == errorsBefore ? Optional.of(rule.build()) : Optional.empty();
    return new RuleDraft(
        id,
        fields,
        limits,
        List.copyOf(listed),
        candidate,
        cost,
        shards,
        schedules,
        replaces,
        whole);
  }

  private Optional<List<String>> key() {
    if (!fields.has("key")) {
      if (!fields.peek("limit").equals(Optional.of(TierSpec.UNLIMITED))) {
        location.warning(
            fields.line("id"), "key is missing, so all calls share one bucket; write key: []");
      }
      return Optional.of(List.of());
    }
    Optional<TreeNode> node = fields.node("key");
    if (node.isEmpty()) {
      return Optional.empty();
    }
    if (!(node.get() instanceof Sequence list)) {
      location.error(
          node.get().line(), "key must be a list such as [user], not " + node.get().what());
      return Optional.empty();
    }
    Set<String> parts = new LinkedHashSet<>();
    for (LocatedText part :
        list.items().isEmpty() ? List.<LocatedText>of() : fields.texts("key", "user")) {
      location
          .attempt(part.line(), () -> NameSyntax.attribute("key part", part.text()))
          .filter(name -> !parts.add(name))
          .ifPresent(name -> location.error(part.line(), "key names " + name + " twice"));
    }
    return list.items().size() == parts.size() ? Optional.of(List.copyOf(parts)) : Optional.empty();
  }

  private Optional<RuleLimits> limits() {
    if (!fields.has("limit")) {
      location.error(fields.line("limit"), "limit is missing, such as 100/min");
      return Optional.empty();
    }
    Optional<TreeNode> node = fields.node("limit");
    if (node.isEmpty()) {
      return Optional.empty();
    }
    if (node.get() instanceof Scalar word && word.text().equals("tier")) {
      return Optional.of(new RuleLimits.OfTier());
    }
    if (node.get() instanceof Scalar word && word.text().equals(TierSpec.UNLIMITED)) {
      return Optional.of(new RuleLimits.Unlimited());
    }
    if (node.get() instanceof Sequence list) {
      return listed(list);
    }
    LimitReader.read(location, node.get()).ifPresent(listed::add);
    return asLimits(1);
  }

  private Optional<RuleLimits> listed(Sequence list) {
    List<TreeNode> items = fields.items("limit");
    for (int i = 0; i < items.size(); i++) {
      Location at = items.size() == 1 ? location : location.within("limit " + (i + 1));
      if (items.get(i) instanceof Scalar word && isAlone(word.text())) {
        at.error(word.line(), "'" + word.text() + "' can only stand alone, not in a list");
      } else {
        LimitReader.read(at, items.get(i)).ifPresent(listed::add);
      }
    }
    Set<String> names = new HashSet<>();
    for (LocatedLimit limit : listed) {
      String name = limit.limit().name();
      if (!name.isEmpty() && !names.add(name)) {
        location.error(limit.line(), "two limits are named " + name);
      }
    }
    return asLimits(Math.max(1, list.items().size()));
  }

  /** Whether this word is only valid as the whole limit of a rule, not in a list. */
  static boolean isAlone(String word) {
    return word.equals("tier") || word.equals(TierSpec.UNLIMITED);
  }

  /** The limits, if all of them could be read. */
  private Optional<RuleLimits> asLimits(int expected) {
    return listed.size() == expected ? Optional.of(limitsOf(listed)) : Optional.empty();
  }

  private static RuleLimits.Listed limitsOf(List<LocatedLimit> limits) {
    return new RuleLimits.Listed(limits.stream().map(LocatedLimit::limit).toList());
  }

  private Optional<Integer> percent(Optional<List<String>> key) {
    Optional<Integer> percent = fields.number("percent", 1, 100);
    if (key.isPresent() && key.get().isEmpty() && percent.orElse(100) < 100) {
      location.error(
          fields.line("percent"), "percent picks keys, and with key: [] there is only one");
    }
    return percent;
  }

  private int shards() {
    int shards = fields.number("shards", 1, MAX_SHARDS).orElse(1);
    for (LocatedLimit limit : listed) {
      Algorithm algorithm = limit.limit().algorithm();
      if (shards > 1 && !LimitDivision.divides(algorithm)) {
        location.error(fields.line("shards"), "shards cannot split a " + algorithm + " limit");
      }
    }
    return shards;
  }

  private boolean countDenied() {
    boolean count = fields.flag("count_denied").orElse(false);
    for (LocatedLimit limit : listed) {
      if (count && limit.limit().algorithm() == Algorithm.CONCURRENCY) {
        location.error(
            fields.line("count_denied"),
            "count_denied means nothing to concurrency: a refused call holds no permit");
      }
    }
    return count;
  }

  /** An accuracy. Its length is capped because BigDecimal parsing is quadratic in the digits. */
  public static Accuracy accuracy(String text) {
    if (text.length() > 16) {
      throw new IllegalArgumentException("accuracy is 'exact' or a percentage such as 1%");
    }
    return Accuracy.of(text);
  }
}
