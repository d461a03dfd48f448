package io.weir.control.rollout;

import io.weir.control.ControlStores;
import io.weir.control.audit.Origin;
import io.weir.control.rollout.plan.RolloutPlan;
import io.weir.control.store.Rollout;
import io.weir.control.store.RolloutState;
import io.weir.control.store.RolloutStore;
import io.weir.control.store.RolloutStore.Transition;
import java.util.Optional;

/** What operators and outside judges do to a rollout. Works on every instance. */
public final class RolloutOperations {
  /** What became of an operation. */
  public sealed interface Result {
    /** Done; the rollout is now this. */
    record Moved(Rollout rollout) implements Result {}

    /** The operation does not fit the rollout's state; nothing was changed. */
    record NotNow(Rollout rollout, String why) implements Result {}

    record Unknown() implements Result {}
  }

  /** What an operation makes of a rollout. */
  private interface Step {
    /** The transition; a text says why there is none. */
    Decision decide(Rollout rollout);
  }

  private record Decision(Optional<Transition> next, String why) {
    static Decision move(int step, RolloutState state, String reason, String numbers) {
      return new Decision(Optional.of(new Transition(step, state, reason, numbers)), "");
    }

    static Decision refuse(String why) {
      return new Decision(Optional.empty(), why);
    }
  }

  private static final int ATTEMPTS = 5;
  private static final String UNREADABLE = "its plan cannot be read; roll it back";

  private final ControlStores stores;
  private final RuleRestorer restorer;
  private final EvidenceReader evidence;

  public RolloutOperations(ControlStores stores, RuleRestorer restorer) {
    this.stores = stores;
    this.restorer = restorer;
    this.evidence = new EvidenceReader(stores);
  }

  /** Goes on to the next step at once, whatever the judge waits for; after the last one: done. */
  public Result advance(long id, Origin origin) {
    return move(id, origin, false, this::advanced);
  }

  private Decision advanced(Rollout it) {
    Optional<RolloutPlan> readable = plan(it);
    if (readable.isEmpty()) {
      return Decision.refuse(UNREADABLE);
    }
    RolloutPlan plan = readable.get();
    return plan.isLast(it.step())
        ? Decision.move(it.step(), RolloutState.DONE, "advanced by an operator", numbers(it))
        : Decision.move(it.step() + 1, plan.stateAt(it.step() + 1), "", numbers(it));
  }

  /** Stays in the present step until {@link #resume} or {@link #advance}. Harm still ends it. */
  public Result hold(long id, Origin origin) {
    return move(
        id,
        origin,
        false,
        it ->
            it.state() == RolloutState.PAUSED
                ? Decision.refuse("it is paused already")
                : Decision.move(it.step(), RolloutState.PAUSED, origin.message(), numbers(it)));
  }

  /** Goes on with the present step, whose time starts again, and clears vetoes of instances. */
  public Result resume(long id, Origin origin) {
    return move(id, origin, true, this::resumed);
  }

  private Decision resumed(Rollout it) {
    if (it.state() != RolloutState.PAUSED && it.state() != RolloutState.HELD) {
      return Decision.refuse("it is not paused or held");
    }
    return plan(it)
        .map(plan -> Decision.move(it.step(), plan.stateAt(it.step()), "", numbers(it)))
        .orElse(Decision.refuse(UNREADABLE));
  }

  /** Returns to the version before. */
  public Result rollBack(long id, Origin origin) {
    return rollBack(id, "rolled back by " + origin.actor() + ": " + origin.message(), origin);
  }

  /** An outside judge found harm: returns to the version before. */
  public Result reject(long id, Origin origin) {
    return rollBack(id, "verdict of " + origin.actor() + ": " + origin.message(), origin);
  }

  private Result rollBack(long id, String reason, Origin origin) {
    Result result =
        move(
            id,
            origin,
            false,
            it -> Decision.move(it.step(), RolloutState.ROLLED_BACK, reason, numbers(it)));
    if (result instanceof Result.Moved moved) {
      RolloutDriver.restore(stores, restorer, moved.rollout());
    }
    return result;
  }

  /** An outside judge found no harm: entered into the audit log; the rollout goes its way. */
  public Result approve(long id, Origin origin) {
    RolloutStore.Result result = stores.rollouts().note(id, "good", origin);
    if (result instanceof RolloutStore.Result.Moved moved) {
      return new Result.Moved(moved.rollout());
    }
    return result instanceof RolloutStore.Result.Stale stale
        ? ended(stale.rollout())
        : new Result.Unknown();
  }

  private Result move(long id, Origin origin, boolean clearsVetoes, Step step) {
    for (int attempt = 1; ; attempt++) {
      Optional<Rollout> found = stores.rollouts().find(id);
      if (found.isEmpty()) {
        return new Result.Unknown();
      }
      Rollout rollout = found.get();
      if (rollout.state().isEnd()) {
        return ended(rollout);
      }
      Decision decision = step.decide(rollout);
      if (decision.next().isEmpty()) {
        return new Result.NotNow(rollout, decision.why());
      }
      Transition next = decision.next().get();
      RolloutStore rollouts = stores.rollouts();
      RolloutStore.Result result =
          clearsVetoes
              ? rollouts.resume(id, rollout.revision(), next, origin)
              : rollouts.move(id, rollout.revision(), next, origin);
      if (result instanceof RolloutStore.Result.Moved moved) {
        return new Result.Moved(moved.rollout());
      }
      if (attempt == ATTEMPTS) {
        return new Result.NotNow(rollout, "it moves too often; try again");
      }
    }
  }

  private static Result ended(Rollout rollout) {
    return new Result.NotNow(rollout, "it has ended");
  }

  private static Optional<RolloutPlan> plan(Rollout rollout) {
    try {
      return Optional.of(RolloutPlan.parse(rollout.plan()));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private String numbers(Rollout rollout) {
    return plan(rollout)
        .map(it -> evidence.findings(rollout, it).toJson())
        .orElse(rollout.evidence());
  }
}
