package io.weir.rule;

import io.weir.Limit;
import io.weir.Mode;
import io.weir.OnFail;
import io.weir.Ratio;
import io.weir.base.ExactNumbers;
import java.util.List;
import java.util.Optional;

/**
 * A rule: the calls it matches, the key they are counted under, the limits per key, and how to
 * decide while the store is unavailable. Immutable.
 *
 * <pre>{@code
 * Rule payments = Rule.named("payments")
 *     .match(Match.path("/payments").andMethod("POST"))
 *     .key("user")
 *     .limit(Limit.slidingWindow(5, Duration.ofSeconds(1)))
 *     .onFail(OnFail.CLOSED)
 *     .build();
 * }</pre>
 */
public final class Rule {
  private final String id;
  private final Match match;
  private final Optional<Match> except;
  private final List<String> key;
  private final RuleLimits limits;
  private final Cost cost;
  private final Scope scope;
  private final List<String> replaces;
  private final List<Schedule> schedule;
  private final Mode mode;
  private final int percent;
  private final OnFail onFail;
  private final Ratio localFactor;
  private final OnMissing onMissing;
  private final Accuracy accuracy;
  private final int shards;
  private final boolean countDenied;
  private final String description;
  private final String owner;
  private final RuleOptions options;

  private Rule(Builder b) {
    this.id = b.id;
    this.match = b.match;
    this.except = b.except;
    this.key = b.key;
    this.limits = b.limits;
    this.cost = b.cost;
    this.scope = b.scope;
    this.replaces = b.replaces;
    this.schedule = b.schedule;
    this.mode = b.mode;
    this.percent = b.percent;
    this.onFail = b.onFail;
    this.localFactor = b.localFactor;
    this.onMissing = b.onMissing;
    this.accuracy = b.accuracy;
    this.shards = b.shards;
    this.countDenied = b.countDenied;
    this.description = b.description;
    this.owner = b.owner;
    this.options = b.options;
  }

  /** Starts a rule with this id: at most 64 letters, digits and {@code - _ .}. */
  public static Builder named(String id) {
    return new Builder(id);
  }

  /** The id, which is unique within a rule set. */
  public String id() {
    return id;
  }

  /** The calls that the rule applies to. */
  public Match match() {
    return match;
  }

  /** The calls that the rule does not apply to although they {@link #match}. */
  public Optional<Match> except() {
    return except;
  }

  /** The parts of the key, the leading one first; empty if all calls share one bucket. */
  public List<String> key() {
    return key;
  }

  /** The limits per key. */
  public RuleLimits limits() {
    return limits;
  }

  /** The cost of a call. */
  public Cost cost() {
    return cost;
  }

  /** The instances that count together. */
  public Scope scope() {
    return scope;
  }

  /** The ids of rules that do not apply to calls that this rule matches. */
  public List<String> replaces() {
    return replaces;
  }

  /** Hours in which the limits are multiplied by a factor. */
  public List<Schedule> schedule() {
    return schedule;
  }

  /** Whether the rule is enforced. */
  public Mode mode() {
    return mode;
  }

  /**
   * The share of keys, in percent, for which the rule is enforced. For the others it is in shadow
   * mode.
   */
  public int percent() {
    return percent;
  }

  /** The decision while the store is unavailable. */
  public OnFail onFail() {
    return onFail;
  }

  /** A factor for this instance's share of the limit with {@link OnFail#LOCAL}. */
  public Ratio localFactor() {
    return localFactor;
  }

  /** How calls that lack a part of the key are treated. */
  public OnMissing onMissing() {
    return onMissing;
  }

  /** The error accepted in exchange for decisions from memory. */
  public Accuracy accuracy() {
    return accuracy;
  }

  /** The number of shards each bucket is split into; 1 by default. */
  public int shards() {
    return shards;
  }

  /** Whether calls that this rule refuses count against its limits. */
  public boolean countDenied() {
    return countDenied;
  }

  public String description() {
    return description;
  }

  public String owner() {
    return owner;
  }

  /** What happens at the limit, who sees the rule, when it ends, penalty and candidate. */
  public RuleOptions options() {
    return options;
  }

  /** Two rules are equal if all their fields are equal. */
  @Override
  public boolean equals(Object other) {
    return this == other || (other instanceof Rule rule && fields().equals(rule.fields()));
  }

  @Override
  public int hashCode() {
    return fields().hashCode();
  }

  private List<Object> fields() {
    return List.of(
        id,
        match,
        except,
        key,
        limits,
        cost,
        scope,
        replaces,
        schedule,
        mode,
        percent,
        onFail,
        localFactor,
        onMissing,
        accuracy,
        shards,
        countDenied,
        description,
        owner,
        options);
  }

  @Override
  public String toString() {
    return "rule " + id;
  }

  /** Builds a rule. Parts that are not set have the default of the rule document. */
  public static final class Builder {
    private final String id;
    private Match match = Match.ALL;
    private Optional<Match> except = Optional.empty();
    private List<String> key = List.of();
    private RuleLimits limits = new RuleLimits.Unlimited();
    private Cost cost = Cost.Fixed.ONE;
    private Scope scope = Scope.CELL;
    private List<String> replaces = List.of();
    private List<Schedule> schedule = List.of();
    private Mode mode = Mode.ENFORCE;
    private int percent = 100;
    private OnFail onFail = OnFail.LOCAL;
    private Ratio localFactor = Ratio.ONE;
    private OnMissing onMissing = OnMissing.IP;
    private Accuracy accuracy = Accuracy.DEFAULT;
    private int shards = 1;
    private boolean countDenied;
    private String description = "";
    private String owner = "";
    private RuleOptions options = RuleOptions.DEFAULT;

    private Builder(String id) {
      ExactNumbers.name(id);
      if (id.isEmpty()) {
        throw new IllegalArgumentException("a rule needs an id");
      }
      this.id = id;
    }

    /** The calls that the rule applies to; every call by default. */
    public Builder match(Match match) {
      this.match = match;
      return this;
    }

    /** The calls that the rule does not apply to although they match; none by default. */
    public Builder except(Match except) {
      this.except = Optional.of(except);
      return this;
    }

    /**
     * The parts of the key, such as {@code "user"}: each combination of values has its own bucket.
     * Without a key, all calls share one bucket.
     */
    public Builder key(String... parts) {
      this.key = List.of(parts);
      return this;
    }

    /** The limits per key, all of which must admit a call. */
    public Builder limit(Limit... limits) {
      this.limits = new RuleLimits.Listed(List.of(limits));
      return this;
    }

    /** The limits per key; unlimited by default. */
    public Builder limits(RuleLimits limits) {
      this.limits = limits;
      return this;
    }

    /** The cost of a call; 1 by default. */
    public Builder cost(Cost cost) {
      this.cost = cost;
      return this;
    }

    /** The instances that count together; those of one store by default. */
    public Builder scope(Scope scope) {
      this.scope = scope;
      return this;
    }

    /** The ids of rules that do not apply to calls that this rule matches. */
    public Builder replaces(String... ids) {
      this.replaces = List.of(ids);
      return this;
    }

    /**
     * Hours in which the limits are multiplied by a factor. The first schedule that covers a moment
     * applies.
     */
    public Builder schedule(Schedule... schedule) {
      this.schedule = List.of(schedule);
      return this;
    }

    /** Enforced by default. {@link Mode#MARK} is an option: {@link OnLimit#MARK}. */
    public Builder mode(Mode mode) {
      if (mode == Mode.MARK) {
        throw new IllegalArgumentException("a rule marks calls by on_limit, not by its mode");
      }
      this.mode = mode;
      return this;
    }

    /** The share of keys, 1 to 100 percent, for which the rule is enforced; 100 by default. */
    public Builder percent(int percent) {
      if (percent < 1 || percent > 100) {
        throw new IllegalArgumentException("percent " + percent + " is not between 1 and 100");
      }
      this.percent = percent;
      return this;
    }

    /** The decision while the store is unavailable; {@link OnFail#LOCAL} by default. */
    public Builder onFail(OnFail onFail) {
      this.onFail = onFail;
      return this;
    }

    /** A factor for this instance's share of the limit with {@link OnFail#LOCAL}; 1 by default. */
    public Builder localFactor(Ratio localFactor) {
      this.localFactor = localFactor;
      return this;
    }

    /** How calls that lack a part of the key are treated; {@link OnMissing#IP} by default. */
    public Builder onMissing(OnMissing onMissing) {
      this.onMissing = onMissing;
      return this;
    }

    /** The error accepted in exchange for decisions from memory; 1% by default. */
    public Builder accuracy(Accuracy accuracy) {
      this.accuracy = accuracy;
      return this;
    }

    /**
     * The number of shards each bucket is split into, 1 to 1024, for very hot keys; 1 by default.
     */
    public Builder shards(int shards) {
      if (shards < 1 || shards > 1024) {
        throw new IllegalArgumentException("shards " + shards + " is not between 1 and 1024");
      }
      this.shards = shards;
      return this;
    }

    /** Whether refused calls count against the limits too; false by default. */
    public Builder countDenied(boolean countDenied) {
      this.countDenied = countDenied;
      return this;
    }

    public Builder description(String description) {
      this.description = description;
      return this;
    }

    public Builder owner(String owner) {
      this.owner = owner;
      return this;
    }

    /** The options beside the limits; {@link RuleOptions#DEFAULT} by default. */
    public Builder options(RuleOptions options) {
      this.options = options;
      return this;
    }

    /**
     * Builds the rule.
     *
     * @throws IllegalArgumentException if the parts do not fit together
     */
    public Rule build() {
      if (percent < 100 && key.isEmpty()) {
        throw new IllegalArgumentException("percent needs a key; with key: [] there is only one");
      }
      if (limits instanceof RuleLimits.Listed listed) {
        listed.checkNames();
      }
      options.check(limits);
      return new Rule(this);
    }
  }
}
