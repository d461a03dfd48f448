package io.weir.control.whatif;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Key;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.control.rollout.evidence.PeakShares;
import io.weir.engine.Engine;
import io.weir.rule.PathPattern;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.TenantPlan;
import io.weir.rule.index.RuleIndex;
import io.weir.store.Draw;
import io.weir.store.memory.MemoryStore;
import io.weir.time.TimeSource;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Replays a recording in virtual time against two rule sets, each with an engine and a store of its
 * own, and compares their decisions.
 *
 * <p>Both sides start with full buckets, as the state before the recording is unknown. A limit
 * whose period is longer than the recording therefore refuses less than it would; {@link
 * ReplayNotes} lists such rules. A recorded call is replayed whatever became of it, except those
 * that a bypass token or a block decided. Calls that were settled later count at the cost they were
 * decided with.
 *
 * <p>A replay takes about 2 µs a call and side. It runs on the thread that calls {@link #run}.
 */
public final class Replay {
  /** Keys counted per rule, over all rules; calls of further keys are not counted by rule. */
  private static final int MAX_KEYS = 1_000_000;

  private static final int CALLS_PER_CLOCK_READ = 256;
  private static final String NO_ROUTE = "";

  /** One side of the comparison. */
  private static final class Side {
    final RuleSet rules;
    final RuleIndex index;
    final Engine engine;

    Side(RuleSet rules, VirtualTime time) {
      this.rules = rules;
      this.index = RuleIndex.of(rules);
      this.engine =
          Engine.builder()
              .rules(rules)
              .time(time)
              .store(MemoryStore.builder().time(time).build())
              .newKeysPerAddress(Integer.MAX_VALUE)
              .build();
    }
  }

  /** What a rule did with a call on each side. */
  private static final class RuleVerdict {
    Key key = Key.NONE;
    boolean before;
    boolean after;
  }

  private final Recording recording;
  private final VirtualTime virtual;
  private final Side before;
  private final Side after;
  private final CallDecoder decoder;
  private final Map<String, Boolean> byCaller = new HashMap<>();
  private final EffectTally total = new EffectTally();
  private final Map<String, EffectTally> rules = new LinkedHashMap<>();
  private final Map<String, EffectTally> routes = new LinkedHashMap<>();
  private final Map<String, EffectTally> tiers = new LinkedHashMap<>();
  private final ReplayNotes notes;
  private final PeakShares peaks = new PeakShares();
  private int ruleKeys;
  private boolean keysLeftOut;
  private volatile int replayed;

  /**
   * Prepares a replay.
   *
   * @param hash the hash that the calls were recorded with
   */
  public Replay(Recording recording, ValueHash hash, RuleSet before, RuleSet after) {
    this.recording = recording;
    this.virtual = new VirtualTime(instant(recording.size() == 0 ? 0 : at(0)));
    this.before = new Side(before, virtual);
    this.after = new Side(after, virtual);
    this.decoder = new CallDecoder(hash, List.of(before, after));
    this.notes = new ReplayNotes(before, after, recording);
  }

  /** The share of the recording that was replayed so far, for another thread. */
  public double progress() {
    return recording.size() == 0 ? 1 : (double) replayed / recording.size();
  }

  /**
   * Replays the calls.
   *
   * @param time the clock for the time limit
   * @param within the time after which the replay stops where it is
   * @param instances how many instances contributed to the recording
   * @param asked how many were live
   */
  public WhatIf run(TimeSource time, Duration within, int instances, int asked) {
    if (recording.size() == 0) {
      return WhatIf.nothingRecorded(instances, asked);
    }
    long deadline = time.micros() + within.toNanos() / 1000;
    int done = 0;
    while (done < recording.size()
        && (done % CALLS_PER_CLOCK_READ != 0 || time.micros() < deadline)) {
      replay(recording.calls().get(done));
      done++;
      replayed = done;
    }
    return outcome(done, instances, asked);
  }

  private void replay(RecordedCall recorded) {
    virtual.advanceMicros(Math.max(0, recorded.at() - virtual.wallMicros()));
    if (!recorded.outcome().isReplayed() || recorded.cost() == 0) {
      return;
    }
    try {
      decide(recorded, decoder.decode(recorded));
    } catch (IllegalArgumentException e) {
      notes.onUndecided();
    }
  }

  private void decide(RecordedCall recorded, Call call) {
    Map<String, RuleVerdict> verdicts = new LinkedHashMap<>();
    addKeys(before, call, verdicts);
    addKeys(after, call, verdicts);
    Decision old = before.engine.check(call);
    Decision now = after.engine.check(call);
    addRefusals(old, verdicts, false);
    addRefusals(now, verdicts, true);
    Long caller = recorded.caller();
    verdicts.forEach((rule, verdict) -> count(rule, verdict, recorded));
    total.add(caller, !old.allowed(), !now.allowed());
    tally(routes, routeOf(call, verdicts)).add(caller, !old.allowed(), !now.allowed());
    tierOf(call).ifPresent(it -> tally(tiers, it).add(caller, !old.allowed(), !now.allowed()));
  }

  private void addKeys(Side side, Call call, Map<String, RuleVerdict> verdicts) {
    List<Draw> draws = side.index.plan(call, virtual.wallMicros(), Draw.Intent.LOOK).draws();
    for (Draw draw : draws) {
      verdicts.computeIfAbsent(draw.pool().rule(), it -> new RuleVerdict()).key = draw.key();
    }
  }

  private static void addRefusals(
      Decision decision, Map<String, RuleVerdict> verdicts, boolean isAfter) {
    if (decision.statuses().isEmpty() && !decision.allowed()) {
      decision.rule().ifPresent(rule -> refuse(verdicts, rule, isAfter));
    }
    for (LimitStatus status : decision.statuses()) {
      if (status.mode() == Mode.ENFORCE && !status.allowed()) {
        refuse(verdicts, status.rule(), isAfter);
      }
    }
  }

  private static void refuse(Map<String, RuleVerdict> verdicts, String rule, boolean isAfter) {
    RuleVerdict verdict = verdicts.computeIfAbsent(rule, it -> new RuleVerdict());
    verdict.before |= !isAfter;
    verdict.after |= isAfter;
  }

  private void count(String rule, RuleVerdict verdict, RecordedCall recorded) {
    EffectTally tally = tally(rules, rule);
    int keys = tally.keys();
    if (ruleKeys >= MAX_KEYS) {
      keysLeftOut = true;
      return;
    }
    boolean perCaller = isCountedByCaller(rule);
    Object unit = perCaller ? Long.valueOf(recorded.caller()) : verdict.key;
    long hash = perCaller ? recorded.caller() : verdict.key.fixedHash(rule);
    tally.add(unit, verdict.before, verdict.after);
    peaks.add(recorded.at(), rule, hash, verdict.before, verdict.after);
    ruleKeys += tally.keys() - keys;
  }

  private boolean isCountedByCaller(String id) {
    return byCaller.computeIfAbsent(
        id,
        it -> {
          Optional<Rule> old = before.rules.rule(it);
          Optional<Rule> now = after.rules.rule(it);
          boolean sameKey =
              old.isEmpty() || now.isEmpty() || old.get().key().equals(now.get().key());
          return !sameKey
              || Stream.of(old, now).flatMap(Optional::stream).allMatch(r -> r.key().isEmpty());
        });
  }

  /** The pattern by which the call matches the first of its rules. */
  private String routeOf(Call call, Map<String, RuleVerdict> verdicts) {
    for (String id : verdicts.keySet()) {
      Optional<Rule> rule = after.rules.rule(id).or(() -> before.rules.rule(id));
      if (rule.isPresent()) {
        return rule.get().match().paths().stream()
            .filter(pattern -> pattern.matches(call.normalPath()))
            .map(PathPattern::text)
            .findFirst()
            .orElse(PathPattern.EVERYTHING.text());
      }
    }
    return NO_ROUTE;
  }

  private Optional<String> tierOf(Call call) {
    Map<String, TenantPlan> plans = after.rules.tenants();
    if (plans.isEmpty()) {
      return Optional.empty();
    }
    String tenant = call.attribute("tenant");
    TenantPlan own = tenant == null ? null : plans.get(tenant);
    TenantPlan plan = own == null ? plans.get(RuleSet.EVERYONE_ELSE) : own;
    return Optional.ofNullable(plan).map(TenantPlan::tier);
  }

  private static EffectTally tally(Map<String, EffectTally> tallies, String name) {
    return tallies.computeIfAbsent(name, it -> new EffectTally());
  }

  // ---- the outcome

  private WhatIf outcome(int done, int instances, int asked) {
    List<RecordedCall> calls = recording.calls().subList(0, done);
    WhatIf.Basis basis =
        new WhatIf.Basis(
            instant(at(0)),
            instant(at(Math.max(0, done - 1))),
            done,
            calls.stream().mapToLong(RecordedCall::caller).distinct().count(),
            recording.share(),
            instances,
            asked,
            done == recording.size());
    double refused =
        rules.values().stream().mapToDouble(it -> it.effect().refusedKeys()).max().orElse(0);
    return new WhatIf(
        basis,
        total.effect(),
        groups(rules),
        groups(routes),
        groups(tiers),
        refused,
        peaks.shares(),
        notes.list(basis, decoder.unreadableCosts(), keysLeftOut, largest()));
  }

  private int largest() {
    return Stream.of(rules, routes, tiers)
        .mapToInt(it -> (int) it.values().stream().filter(e -> e.effect().isChange()).count())
        .max()
        .orElse(0);
  }

  private static List<WhatIf.Group> groups(Map<String, EffectTally> tallies) {
    return tallies.entrySet().stream()
        .map(entry -> new WhatIf.Group(entry.getKey(), entry.getValue().effect()))
        .filter(group -> group.effect().isChange())
        .sorted(
            Comparator.comparingLong((WhatIf.Group it) -> -it.effect().refused().keys())
                .thenComparing(it -> -it.effect().admitted().keys())
                .thenComparing(WhatIf.Group::name))
        .limit(WhatIf.MAX_GROUPS)
        .toList();
  }

  private long at(int index) {
    return recording.calls().get(index).at();
  }

  static Instant instant(long micros) {
    return Instant.ofEpochSecond(
        Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1000);
  }
}
