package io.weir.control.whatif;

import io.weir.Call;
import io.weir.Key;
import io.weir.LeakyBucket;
import io.weir.Limit;
import io.weir.TokenBucket;
import io.weir.rule.OnMissing;
import io.weir.rule.Rule;
import io.weir.rule.RuleLimits;
import io.weir.rule.RuleSet;
import io.weir.rule.index.RuleIndex;
import io.weir.store.Draw;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Suggests a limit from recorded traffic: the peak of each key within a period, the quantiles of
 * those peaks over all keys, and a limit a quarter above the 99.9% quantile.
 */
public final class LimitSuggester {
  private static final Duration DEFAULT_PERIOD = Duration.ofMinutes(1);
  private static final Set<String> CALLER_PARTS = Set.of("user", "api_key", "tenant", "ip");
  private static final double COVERED = 0.99;

  private final Recording recording;
  private final ValueHash hash;
  private final RuleSet rules;

  /**
   * Suggests from a recording.
   *
   * @param hash the hash that the calls were recorded with
   * @param rules the rules in force
   */
  public LimitSuggester(Recording recording, ValueHash hash, RuleSet rules) {
    this.recording = recording;
    this.hash = hash;
    this.rules = rules;
  }

  /** The highest cost within a period of one key, as calls arrive in time order. */
  private static final class Peak {
    private record Taken(long at, long amount) {}

    private final Deque<Taken> window = new ArrayDeque<>();
    private long sum;
    private long highest;

    void add(long at, long amount, long periodMicros) {
      window.addLast(new Taken(at, amount));
      sum += amount;
      while (window.getFirst().at() <= at - periodMicros) {
        sum -= window.removeFirst().amount();
      }
      highest = Math.max(highest, sum);
    }
  }

  /**
   * A limit for the calls, key and cost of a rule in force, per the period of its first limit.
   *
   * @throws IllegalArgumentException if there is no such rule
   */
  public Suggestion forRule(String id) {
    Rule rule =
        rules.rule(id).orElseThrow(() -> new IllegalArgumentException("there is no rule " + id));
    return suggest(
        Rule.named(id)
            .match(rule.match())
            .key(rule.key().toArray(String[]::new))
            .onMissing(rule.onMissing())
            .cost(rule.cost()),
        rule,
        periodOf(rule));
  }

  /** A limit per minute for all calls that have these parts of a key. */
  public Suggestion forKey(List<String> parts) {
    Rule.Builder probe =
        Rule.named("suggest").key(parts.toArray(String[]::new)).onMissing(OnMissing.SKIP);
    return suggest(probe, probe.build(), DEFAULT_PERIOD);
  }

  private static Duration periodOf(Rule rule) {
    if (rule.limits() instanceof RuleLimits.Listed listed) {
      Limit first = listed.limits().get(0);
      if (first instanceof TokenBucket bucket) {
        return bucket.period();
      }
      if (first instanceof LeakyBucket bucket) {
        return bucket.period();
      }
      return first.window().isZero() ? DEFAULT_PERIOD : first.window();
    }
    return DEFAULT_PERIOD;
  }

  private Suggestion suggest(Rule.Builder probe, Rule source, Duration per) {
    source.except().ifPresent(probe::except);
    RuleSet probes = RuleSet.of(probe.limit(Limit.perSecond(1)).build());
    RuleIndex index = RuleIndex.of(probes);
    CallDecoder decoder = new CallDecoder(hash, List.of(probes, rules));
    Map<Key, Peak> peaks = new HashMap<>();
    long periodMicros = per.toNanos() / 1000;
    long calls = 0;
    for (RecordedCall recorded : recording.calls()) {
      for (Draw draw : draws(index, decoder, recorded)) {
        calls++;
        peaks
            .computeIfAbsent(draw.key(), it -> new Peak())
            .add(recorded.at(), draw.amount(), periodMicros);
      }
    }
    long[] sorted = peaks.values().stream().mapToLong(peak -> peak.highest).sorted().toArray();
    return new Suggestion(
        source.key(),
        per,
        sorted.length,
        calls,
        span(),
        new Suggestion.Peaks(
            quantile(sorted, 0.5),
            quantile(sorted, 0.9),
            quantile(sorted, 0.99),
            quantile(sorted, 0.999)),
        withHeadroom(quantile(sorted, 0.999)),
        1 - Math.pow(COVERED, sorted.length),
        notes(source, per));
  }

  private static List<Draw> draws(RuleIndex index, CallDecoder decoder, RecordedCall recorded) {
    if (!recorded.outcome().isReplayed() || recorded.cost() == 0) {
      return List.of();
    }
    try {
      Call call = decoder.decode(recorded);
      return index.plan(call, recorded.at(), Draw.Intent.LOOK).draws();
    } catch (IllegalArgumentException e) {
      return List.of();
    }
  }

  private Duration span() {
    int last = recording.size() - 1;
    return last < 1
        ? Duration.ZERO
        : Duration.between(
            Replay.instant(recording.calls().get(0).at()),
            Replay.instant(recording.calls().get(last).at()));
  }

  private List<String> notes(Rule source, Duration per) {
    List<String> notes = new ArrayList<>();
    if (span().compareTo(per) < 0) {
      notes.add("the recording is shorter than the period: peaks are a lower bound");
    }
    if (recording.level() > 0 && source.key().stream().noneMatch(CALLER_PARTS::contains)) {
      notes.add(
          "callers share these keys, and the recording holds one in "
              + (1L << recording.level())
              + " callers: peaks are a lower bound");
    }
    return notes;
  }

  /** The smallest value that is at least as large as this share of all. */
  private static long quantile(long[] sorted, double share) {
    return sorted.length == 0 ? 0 : sorted[Math.max(0, (int) Math.ceil(share * sorted.length) - 1)];
  }

  /** A quarter more, rounded up to two digits. */
  static long withHeadroom(long peak) {
    long raised = peak + Math.max(0, (peak + 3) / 4);
    long unit = 1;
    while (raised / unit >= 100) {
      unit *= 10;
    }
    return (raised + unit - 1) / unit * unit;
  }
}
