package io.weir.server.envoy;

import io.weir.DecisionSource;
import io.weir.server.envoy.limit.CompiledLimit;
import io.weir.server.envoy.limit.DescriptorResult;
import io.weir.server.envoy.limit.EnvoyConfig;
import io.weir.server.envoy.limit.EnvoyDecision;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Counts the outcomes of limits and requests. A limit is identified by its place in the files. Only
 * the first {@value #MAX_LIMITS} limits have counters of their own, which bounds the number of
 * series for any configuration and any traffic.
 */
public final class EnvoyStats {
  static final int MAX_LIMITS = 1000;

  private static final long MAX_HITS = 1L << 32;

  /** The name under which all further limits are counted. */
  public static final String OTHERS = "others";

  /** Counters of a limit. */
  public enum Stat {
    TOTAL_HITS,
    WITHIN_LIMIT,
    NEAR_LIMIT,
    OVER_LIMIT,
    SHADOW_MODE,
    /** Requests that a limit allowed. */
    ALLOWED,
    /** Requests that a limit refused. */
    DENIED,
    /** Requests that a limit in shadow mode would have refused. */
    SHADOW_DENIED,
    /** Requests that a limit allowed while its store was unavailable. */
    DEGRADED_ALLOWED,
    /** Requests that a limit refused while its store was unavailable. */
    DEGRADED_DENIED
  }

  /** The counts of one limit. */
  public static final class Counts {
    private final Map<Stat, LongAdder> byStat = new EnumMap<>(Stat.class);

    private Counts() {
      for (Stat stat : Stat.values()) {
        byStat.put(stat, new LongAdder());
      }
    }

    /** One of the counts. */
    public LongAdder of(Stat stat) {
      return byStat.get(stat);
    }

    /** Adds hits, capped at 2^32 so that a few requests cannot make the count overflow. */
    private void add(Stat stat, long hits) {
      if (hits > 0) {
        byStat.get(stat).add(Math.min(hits, MAX_HITS));
      }
    }
  }

  private final double nearLimitRatio;
  private final Consumer<DecisionSource> sources;
  private final Map<EnvoyDecision.Outcome, LongAdder> outcomes =
      new EnumMap<>(EnvoyDecision.Outcome.class);
  private final LongAdder bad = new LongAdder();
  private final Counts others = new Counts();
  private volatile Map<String, Counts> byLimit = Map.of();

  /**
   * Creates empty counters.
   *
   * @param nearLimitRatio hits beyond this fraction of a limit count as near it
   * @param sources receives the source of each decision by a configuration folder
   */
  public EnvoyStats(double nearLimitRatio, Consumer<DecisionSource> sources) {
    this.nearLimitRatio = nearLimitRatio;
    this.sources = sources;
    for (EnvoyDecision.Outcome outcome : EnvoyDecision.Outcome.values()) {
      outcomes.put(outcome, new LongAdder());
    }
  }

  /** Adds counters for the limits of a configuration, and removes those of limits that are gone. */
  public synchronized Map<String, Counts> limits(EnvoyConfig config) {
    Map<String, Counts> counts = new HashMap<>();
    counts.put(OTHERS, others);
    for (CompiledLimit limit : config.limits()) {
      if (counts.size() > MAX_LIMITS) {
        break;
      }
      Counts known = byLimit.get(limit.id());
      counts.put(limit.id(), known == null ? new Counts() : known);
    }
    byLimit = counts;
    return Map.copyOf(counts);
  }

  /** The number of requests with this outcome. */
  public LongAdder requests(EnvoyDecision.Outcome outcome) {
    return outcomes.get(outcome);
  }

  /** The number of invalid requests. */
  public LongAdder badRequests() {
    return bad;
  }

  void onBadRequest() {
    bad.increment();
  }

  void outcome(EnvoyDecision.Outcome outcome) {
    outcomes.get(outcome).increment();
  }

  void onDecision(EnvoyDecision decision) {
    outcome(decision.outcome());
    decision.source().ifPresent(sources);
    List<DescriptorResult> statuses = decision.statuses();
    for (int i = 0; i < statuses.size(); i++) {
      if (statuses.get(i) instanceof DescriptorResult.Counted counted) {
        count(byLimit.getOrDefault(counted.limit().id(), others), counted, decision.allowed());
      } else if (statuses.get(i) instanceof DescriptorResult.Unlimited free) {
        Counts counts = byLimit.getOrDefault(free.limit().id(), others);
        counts.add(Stat.ALLOWED, decision.allowed() ? 1 : 0);
      } else if (statuses.get(i) instanceof DescriptorResult.NotEvaluated skipped) {
        Counts counts = byLimit.getOrDefault(skipped.limit().id(), others);
        counts.add(Stat.TOTAL_HITS, skipped.hits());
      }
    }
  }

  private void count(Counts counts, DescriptorResult.Counted status, boolean passes) {
    long hits = status.hits();
    boolean degraded = status.limitStatus().degraded();
    counts.add(Stat.TOTAL_HITS, hits);
    if (status.admitted()) {
      if (passes) {
        counts.add(degraded ? Stat.DEGRADED_ALLOWED : Stat.ALLOWED, 1);
        counts.add(Stat.WITHIN_LIMIT, hits);
        counts.add(Stat.NEAR_LIMIT, near(status));
      }
    } else if (status.limit().isShadow()) {
      counts.add(Stat.SHADOW_MODE, hits);
      counts.add(Stat.SHADOW_DENIED, 1);
    } else {
      counts.add(Stat.OVER_LIMIT, hits);
      Stat denied = degraded ? Stat.DEGRADED_DENIED : Stat.DENIED;
      counts.add(passes ? Stat.SHADOW_DENIED : denied, 1);
    }
  }

  /** How many hits of a request lie beyond the near-limit fraction. */
  private long near(DescriptorResult.Counted status) {
    long capacity = status.limit().counted().limit().capacity();
    long used = capacity - status.remaining();
    long near = used - (long) Math.floor(capacity * nearLimitRatio);
    return Math.max(0, Math.min(near, status.hits()));
  }
}
