package io.weir.control.rollout.judge;

import io.weir.control.rollout.evidence.KeyCounts;
import io.weir.control.rollout.evidence.RuleEvidence;
import io.weir.control.rollout.evidence.RuleTotals;
import io.weir.control.rollout.plan.FewKeys;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Judges a rollout every 5 s by the last 60 s. A pure function: the same situation gives the same
 * verdict on every instance.
 *
 * <p><b>Keys are judged, not calls.</b> One busy client that retries makes most of all refusals;
 * "refusals above twice the baseline" rolls a third of harmless changes back. A key counts once,
 * however often it calls. A rule is harmful when the share of its active keys that are newly
 * refused is plausibly ({@link WilsonBound}) above what was expected ({@link
 * Expectation#threshold}).
 *
 * <p><b>Missing evidence is no success.</b> A step that would enforce more waits while a changed
 * rule has no traffic, has few keys, or was refusing many keys before. A rollout that enforces
 * everything already has nothing to wait for: its bake ends by itself and says what was not judged.
 */
public final class Judge {
  /** Above this share of active keys refused by the old version, the change cannot be judged. */
  private static final double BAD_BASELINE = 0.20;

  private Judge() {}

  /** The verdict on a rollout that has not ended. */
  public static Verdict judge(Situation it) {
    Findings findings = findings(it);
    Optional<RuleFinding> harm =
        findings.rules().stream()
            .filter(RuleFinding::isHarm)
            .max(Comparator.comparingDouble(RuleFinding::severity));
    if (harm.isPresent()) {
      return new Verdict.RollBack(harmText(harm.get()), findings);
    }
    if (it.inStep().compareTo(it.plan().step(it.step()).time()) < 0) {
      return new Verdict.GoOn(findings);
    }
    Optional<Verdict.Held> gap = gap(it, findings);
    if (it.plan().nextEnforcesMore(it.step()) && gap.isPresent()) {
      return gap.get();
    }
    return new Verdict.Advance(gap.map(Verdict.Held::text).orElse(""), findings);
  }

  /** What is seen so far, for people who watch. */
  public static Findings findings(Situation it) {
    List<RuleFinding> rules =
        it.rules().stream().map(rule -> RuleFinding.of(rule, it.expectation())).toList();
    List<String> notes = new ArrayList<>();
    if (it.changedRules() > it.rules().size()) {
      notes.add(
          it.rules().size()
              + " of "
              + it.changedRules()
              + " changed rules are judged: the busiest");
    }
    it.rules().stream()
        .filter(rule -> rule.stepKeys().isEmpty())
        .forEach(rule -> notes.add("rule " + rule.rule() + " had no calls in this step"));
    return new Findings(it.expectation(), rules, notes);
  }

  private static String harmText(RuleFinding harm) {
    return "rule "
        + harm.rule()
        + ": "
        + harm.summary()
        + " of "
        + harm.activeKeys()
        + " active keys ("
        + harm.newlyRefusedCalls()
        + " of "
        + harm.calls()
        + " calls) within 60 s";
  }

  /** Why the evidence does not bear a step that enforces more; empty if it does. */
  private static Optional<Verdict.Held> gap(Situation it, Findings findings) {
    if (!it.silent().isEmpty()) {
      String instances = String.join(", ", it.silent());
      return held(HoldReason.WAITING, "no evidence from " + instances, findings);
    }
    Optional<RuleTotals> warming = it.rules().stream().filter(RuleTotals::warming).findFirst();
    if (warming.isPresent()) {
      String detail = "rule " + warming.get().rule() + " counts after its first period";
      return held(HoldReason.WAITING, detail, findings);
    }
    String unused =
        it.rules().stream()
            .filter(rule -> rule.stepKeys().isEmpty())
            .map(RuleTotals::rule)
            .collect(Collectors.joining(", "));
    if (!unused.isEmpty()) {
      return held(HoldReason.NO_TRAFFIC, "rule " + unused, findings);
    }
    Optional<RuleTotals> few =
        it.rules().stream()
            .filter(rule -> rule.stepKeys().size() < RuleEvidence.STEP_KEYS)
            .findFirst();
    if (few.isPresent() && it.plan().fewKeys() == FewKeys.HOLD) {
      return held(HoldReason.FEW_KEYS, fewText(few.get()), findings);
    }
    return findings.rules().stream()
        .filter(rule -> rule.keysRefusedByOld() > BAD_BASELINE * rule.activeKeys())
        .findFirst()
        .flatMap(rule -> held(HoldReason.BASELINE_ALREADY_BAD, badText(rule), findings));
  }

  private static Optional<Verdict.Held> held(HoldReason reason, String detail, Findings findings) {
    return Optional.of(new Verdict.Held(reason, detail, findings));
  }

  private static String fewText(RuleTotals rule) {
    return "rule "
        + rule.rule()
        + ": "
        + rule.stepKeys().stream().map(KeyCounts::hex).collect(Collectors.joining(", "));
  }

  private static String badText(RuleFinding rule) {
    return "rule "
        + rule.rule()
        + ": the old version refused "
        + rule.keysRefusedByOld()
        + " of "
        + rule.activeKeys()
        + " active keys";
  }
}
