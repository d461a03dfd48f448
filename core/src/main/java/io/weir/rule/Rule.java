package io.weir.rule;

import io.weir.ExactNumbers;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.OnFail;
import io.weir.Ratio;
import java.util.List;
import java.util.Optional;

/**
 * Which calls are counted, by which key, against which limits, and what happens on a bad day.
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
  }

  /** Starts a rule with this id: letters, digits, {@code - _ .}, at most 64. */
  public static Builder named(String id) {
    return new Builder(id);
  }

  public String id() {
    return id;
  }

  public Match match() {
    return match;
  }

  /** The calls left out of {@link #match}. */
  public Optional<Match> except() {
    return except;
  }

  /** The parts of the key, the leading one first; empty for one bucket for all. */
  public List<String> key() {
    return key;
  }

  public RuleLimits limits() {
    return limits;
  }

  public Cost cost() {
    return cost;
  }

  public Scope scope() {
    return scope;
  }

  /** Ids of rules left out when this one matches. */
  public List<String> replaces() {
    return replaces;
  }

  public List<Schedule> schedule() {
    return schedule;
  }

  public Mode mode() {
    return mode;
  }

  /** The share of keys, in percent, for which the rule is enforced; it shadows the rest. */
  public int percent() {
    return percent;
  }

  public OnFail onFail() {
    return onFail;
  }

  public Ratio localFactor() {
    return localFactor;
  }

  public OnMissing onMissing() {
    return onMissing;
  }

  public Accuracy accuracy() {
    return accuracy;
  }

  /** Into how many parts each bucket is split; 1 for most rules. */
  public int shards() {
    return shards;
  }

  /** Whether refusals of this rule count against it. */
  public boolean countDenied() {
    return countDenied;
  }

  public String description() {
    return description;
  }

  public String owner() {
    return owner;
  }

  /** Two rules are equal if they say the same. */
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
        owner);
  }

  @Override
  public String toString() {
    return "rule " + id;
  }

  /** Collects a rule's parts; what is not said has the default of the rule document. */
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

    private Builder(String id) {
      ExactNumbers.name(id);
      if (id.isEmpty()) {
        throw new IllegalArgumentException("a rule needs an id");
      }
      this.id = id;
    }

    public Builder match(Match match) {
      this.match = match;
      return this;
    }

    public Builder except(Match except) {
      this.except = Optional.of(except);
      return this;
    }

    public Builder key(String... parts) {
      this.key = List.of(parts);
      return this;
    }

    public Builder limit(Limit... limits) {
      this.limits = new RuleLimits.Listed(List.of(limits));
      return this;
    }

    public Builder limits(RuleLimits limits) {
      this.limits = limits;
      return this;
    }

    public Builder cost(Cost cost) {
      this.cost = cost;
      return this;
    }

    public Builder scope(Scope scope) {
      this.scope = scope;
      return this;
    }

    public Builder replaces(String... ids) {
      this.replaces = List.of(ids);
      return this;
    }

    public Builder schedule(Schedule... schedule) {
      this.schedule = List.of(schedule);
      return this;
    }

    public Builder mode(Mode mode) {
      this.mode = mode;
      return this;
    }

    public Builder percent(int percent) {
      if (percent < 1 || percent > 100) {
        throw new IllegalArgumentException("percent " + percent + " is not between 1 and 100");
      }
      this.percent = percent;
      return this;
    }

    public Builder onFail(OnFail onFail) {
      this.onFail = onFail;
      return this;
    }

    public Builder localFactor(Ratio localFactor) {
      this.localFactor = localFactor;
      return this;
    }

    public Builder onMissing(OnMissing onMissing) {
      this.onMissing = onMissing;
      return this;
    }

    public Builder accuracy(Accuracy accuracy) {
      this.accuracy = accuracy;
      return this;
    }

    public Builder shards(int shards) {
      if (shards < 1 || shards > 1024) {
        throw new IllegalArgumentException("shards " + shards + " is not between 1 and 1024");
      }
      this.shards = shards;
      return this;
    }

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

    /**
     * The rule.
     *
     * @throws IllegalArgumentException if parts that are each right do not go together
     */
    public Rule build() {
      if (percent < 100 && key.isEmpty()) {
        throw new IllegalArgumentException("percent needs a key; with key: [] there is only one");
      }
      if (limits instanceof RuleLimits.Listed listed) {
        listed.checkNames();
      }
      return new Rule(this);
    }
  }
}
