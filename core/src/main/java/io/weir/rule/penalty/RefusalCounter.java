package io.weir.rule.penalty;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Key;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.Draw;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Counts the refusals of keys whose rule has a penalty, and tightens the limits of keys that are
 * refused too often.
 *
 * <pre>
 *   refusal ─► store: count it, and look whether the key is tightened ─► tightened elsewhere: here too
 *                                                                    └─► count reached ─► tighten
 * </pre>
 *
 * <p>Both logs are in the rule's own store. So instances that share it count together, and a key's
 * penalty ends on all of them at the same time. An instance that did not begin the penalty applies
 * it from its own first refusal of the key on.
 *
 * <p>A refusal is counted after the decision, which does not wait for it. A key has one request in
 * flight; refusals in the meantime are added to the next. Refusals of a tightened key are not
 * counted. At most 1,024 keys are counted at a time; refusals of others are then not counted.
 */
public final class RefusalCounter {
  private static final int MAX_IN_FLIGHT = 1024;

  /** A key of a rule. */
  private record RuleKey(RulePenalty penalty, Key key) {}

  private final Store store;
  private final TightenedKeys keys;
  private final Consumer<Throwable> onError;

  /** Keys with a request in flight, each with its refusals since that was sent. */
  private final Map<RuleKey, Integer> inFlight = new ConcurrentHashMap<>();

  private volatile Map<String, RulePenalty> byRule = Map.of();

  public RefusalCounter(Store store, TightenedKeys keys, Consumer<Throwable> onError) {
    this.store = store;
    this.keys = keys;
    this.onError = onError;
  }

  /** Replaces the rules. Keys that are tightened stay so. */
  public void replaceRules(RuleSet rules) {
    Map<String, RulePenalty> next = new HashMap<>();
    for (Rule rule : rules.rules()) {
      if (rule.mode() != Mode.OFF) {
        rule.options()
            .penalty()
            .ifPresent(penalty -> next.put(rule.id(), new RulePenalty(rule, penalty)));
      }
    }
    byRule = Map.copyOf(next);
  }

  /**
   * Counts the refusals of a decision on these draws, and returns the decision. A rule counts once
   * per call. Not counted are looks, and refusals by {@code on_fail}, which are not caused by the
   * caller.
   */
  public Decision count(List<Draw> draws, Decision decision) {
    if (!decision.allowed() && !byRule.isEmpty()) {
      countRefused(draws, decision);
    }
    return decision;
  }

  private void countRefused(List<Draw> draws, Decision decision) {
    Map<String, RulePenalty> penalties = byRule;
    String counted = "";
    for (LimitStatus status : decision.statuses()) {
      RulePenalty penalty = penalties.get(status.rule());
      if (penalty != null && isRefusal(status) && !counted.equals(status.rule())) {
        counted = status.rule(); // the limits of one rule are adjacent
        count(penalty, drawOf(status.rule(), draws));
      }
    }
  }

  private static boolean isRefusal(LimitStatus status) {
    return status.mode() == Mode.ENFORCE && !status.allowed() && !status.degraded();
  }

  private static Draw drawOf(String rule, List<Draw> draws) {
    for (Draw draw : draws) {
      if (draw.pool().rule().equals(rule)) {
        return draw;
      }
    }
    throw new IllegalStateException("rule " + rule + " refused a call without a draw");
  }

  private void count(RulePenalty penalty, Draw draw) {
    Key key = draw.key();
    if (draw.isLook() || keys.contains(penalty.high(key), penalty.low(key))) {
      return;
    }
    RuleKey of = new RuleKey(penalty, key);
    if (inFlight.size() >= MAX_IN_FLIGHT && !inFlight.containsKey(of)) {
      return;
    }
    int waiting = inFlight.merge(of, 0, (before, none) -> before + 1);
    if (waiting == 0) {
      send(of, draw.call(), 1);
    }
  }

  private void send(RuleKey of, @Nullable Call call, int refusals) {
    CompletionStage<TakeResult> answer;
    try {
      answer = store.take(draws(of, call, refusals));
    } catch (RuntimeException | Error e) {
      end(of, e);
      return;
    }
    answer.whenComplete(
        (result, problem) -> {
          if (problem != null) {
            end(of, problem);
          } else {
            onCounted(of, call, result.statuses());
          }
        });
  }

  /** Adds refusals to the log, as far as they fit, and looks at the penalty. */
  private static List<Draw> draws(RuleKey of, @Nullable Call call, int refusals) {
    Pool log = of.penalty.refusals();
    long amount = Math.min(refusals, log.meter().capacity());
    return List.of(
        draw(log, of.key, amount, Draw.Intent.TAKE_NOW, call),
        draw(of.penalty.tightened(), of.key, 1, Draw.Intent.LOOK, call));
  }

  /** A draw that refuses nothing. New keys are subject to the same cap as those of the call. */
  private static Draw draw(
      Pool pool, Key key, long amount, Draw.Intent intent, @Nullable Call call) {
    return new Draw(pool, key, amount, Mode.SHADOW, intent, 1, LeaseReport.NONE, 0, call);
  }

  private void onCounted(RuleKey of, @Nullable Call call, List<LimitStatus> statuses) {
    LimitStatus refusals = statuses.get(0);
    LimitStatus tightened = statuses.get(1);
    if (!tightened.allowed() && !tightened.degraded()) {
      tighten(of, tightened.retryAfterMicros());
    } else if (!refusals.degraded() && (!refusals.allowed() || refusals.remaining() == 0)) {
      begin(of, call);
    } else {
      next(of, call);
    }
  }

  /** Sends the refusals since the last request, if there are any. */
  private void next(RuleKey of, @Nullable Call call) {
    while (!inFlight.remove(of, 0)) {
      Integer waiting = inFlight.get(of);
      if (waiting == null) {
        return;
      }
      if (waiting > 0 && inFlight.replace(of, waiting, 0)) {
        send(of, call, waiting);
        return;
      }
    }
  }

  /** Begins a penalty, unless another instance just did. */
  private void begin(RuleKey of, @Nullable Call call) {
    Draw draw = draw(of.penalty.tightened(), of.key, 1, Draw.Intent.TAKE_NOW, call);
    try {
      store
          .take(List.of(draw))
          .whenComplete(
              (result, problem) -> {
                if (problem != null) {
                  end(of, problem);
                } else {
                  LimitStatus status = result.statuses().get(0);
                  tighten(of, status.allowed() ? of.penalty.micros() : status.retryAfterMicros());
                }
              });
    } catch (RuntimeException | Error e) {
      end(of, e);
    }
  }

  private void tighten(RuleKey of, long micros) {
    if (micros > 0) {
      keys.add(of.penalty.high(of.key), of.penalty.low(of.key), micros);
    }
    inFlight.remove(of);
  }

  private void end(RuleKey of, Throwable problem) {
    inFlight.remove(of);
    onError.accept(problem);
  }
}
