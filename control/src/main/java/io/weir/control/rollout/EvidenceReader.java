package io.weir.control.rollout;

import io.weir.control.ControlStores;
import io.weir.control.rollout.evidence.EvidenceWindow;
import io.weir.control.rollout.evidence.RuleEvidence;
import io.weir.control.rollout.evidence.RuleTotals;
import io.weir.control.rollout.judge.Expectation;
import io.weir.control.rollout.judge.Findings;
import io.weir.control.rollout.judge.Judge;
import io.weir.control.rollout.judge.Situation;
import io.weir.control.rollout.plan.RolloutPlan;
import io.weir.control.store.Instance;
import io.weir.control.store.Rollout;
import io.weir.control.store.RolloutState;
import io.weir.control.store.Sample;
import io.weir.control.store.Version;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what all instances have sent about a rollout. Every instance can: the samples are in the
 * database.
 */
public final class EvidenceReader {
  private static final Logger LOG = LoggerFactory.getLogger(EvidenceReader.class);

  /** A sample or heartbeat that is older was missed three times: the instance is gone. */
  private static final Duration FRESH = EvidenceWindow.SLOT.multipliedBy(3);

  private final ControlStores stores;

  public EvidenceReader(ControlStores stores) {
    this.stores = stores;
  }

  /** What is seen of a rollout at present, for people who watch it. */
  public Findings findings(Rollout rollout, RolloutPlan plan) {
    return Judge.findings(situation(rollout, plan));
  }

  Situation situation(Rollout rollout, RolloutPlan plan) {
    Instant now = stores.database().now();
    Map<String, List<RuleEvidence>> byRule = new TreeMap<>();
    Set<String> reporting = new HashSet<>();
    int changedRules = 0;
    for (Sample sample : stores.samples().since(rollout.id(), now.minus(FRESH))) {
      try {
        RuleEvidence evidence = RuleEvidence.decode(sample.body());
        changedRules = Math.max(changedRules, evidence.changedRules());
        reporting.add(sample.instance());
        if (!sample.rule().equals(RuleEvidence.NO_RULE)) {
          byRule.computeIfAbsent(sample.rule(), it -> new ArrayList<>()).add(evidence);
        }
      } catch (IllegalArgumentException e) {
        LOG.warn("instance {} sent evidence that is damaged: {}", sample.instance(), e.toString());
      }
    }
    List<RuleTotals> rules =
        byRule.entrySet().stream()
            .map(it -> RuleTotals.sum(it.getKey(), rollout.step(), it.getValue()))
            .sorted(Comparator.comparingLong(RuleTotals::calls).reversed())
            .limit(RuleEvidence.MAX_RULES)
            .toList();
    return new Situation(
        plan,
        rollout.step(),
        inStep(rollout, plan, now),
        expectation(rollout),
        rules,
        Math.max(changedRules, byRule.size()),
        silent(reporting, now));
  }

  /** Live instances that sent nothing; without any sample nothing is known of the rollout. */
  private List<String> silent(Set<String> reporting, Instant now) {
    List<String> silent =
        stores.instances().seenSince(now.minus(FRESH)).stream()
            .map(Instance::id)
            .filter(it -> !reporting.contains(it))
            .toList();
    return reporting.isEmpty() && silent.isEmpty() ? List.of("any instance") : silent;
  }

  /** A rollout is held after the time of its step is over. */
  private static Duration inStep(Rollout rollout, RolloutPlan plan, Instant now) {
    return rollout.state() == RolloutState.HELD
        ? plan.step(rollout.step()).time()
        : Duration.between(rollout.entered(), now);
  }

  private Expectation expectation(Rollout rollout) {
    String stored = stores.versions().find(rollout.to()).map(Version::expectation).orElse("");
    try {
      return Expectation.read(stored);
    } catch (IllegalArgumentException e) {
      LOG.warn("version {}: {}; no refusal is expected", rollout.to(), e.getMessage());
      return Expectation.NONE;
    }
  }
}
