package io.weir.control.rollout;

import io.weir.control.ControlStores;
import io.weir.control.audit.Origin;
import io.weir.control.rollout.judge.Judge;
import io.weir.control.rollout.judge.Verdict;
import io.weir.control.rollout.plan.RolloutPlan;
import io.weir.control.store.DriverLease;
import io.weir.control.store.Rollout;
import io.weir.control.store.RolloutState;
import io.weir.control.store.RolloutStore;
import io.weir.control.store.RolloutStore.Transition;
import io.weir.control.store.Version;
import io.weir.control.store.VetoStore.Veto;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves rollouts on, and ends what has expired. Every instance has a driver; the one that holds the
 * lease acts.
 *
 * <pre>
 *   running ──step over──► running (next step) ... ──► baking ──► done
 *      │  ▲                                              │
 *      │  └─evidence─ held                               │
 *      └─────────harm, veto, operator────────────────────┴──► rolled_back
 * </pre>
 *
 * <p>The driver remembers nothing that matters: state, step and time are in the rollout's row, and
 * evidence is in the samples. Another instance goes on where one died. Every transition is a
 * compare-and-set on the row's revision, so two drivers in doubt about the lease cannot both act,
 * and an operator's action between two looks of the driver counts.
 */
public final class RolloutDriver {
  /** A driver that does not act for this long is replaced. */
  public static final Duration LEASE = Duration.ofSeconds(15);

  private static final Logger LOG = LoggerFactory.getLogger(RolloutDriver.class);

  private final ControlStores stores;
  private final String instance;
  private final RuleRestorer restorer;
  private final UpstreamHealth upstream;
  private final EvidenceReader evidence;
  private final ExpiryDriver expiry;
  private long seen;
  private long finished;
  private volatile RolloutFigures figures = RolloutFigures.NONE;

  public RolloutDriver(
      ControlStores stores, String instance, RuleRestorer restorer, UpstreamHealth upstream) {
    this.stores = stores;
    this.instance = instance;
    this.restorer = restorer;
    this.upstream = upstream;
    this.evidence = new EvidenceReader(stores);
    this.expiry = new ExpiryDriver(stores, instance);
  }

  /**
   * Looks once, every 5 s; {@link DriverLoop} calls it. Blocks as the database does.
   *
   * @throws io.weir.control.database.DatabaseException if the database fails; the next look goes on
   */
  public void look() {
    Optional<DriverLease.Grant> grant = stores.driver().acquire(instance, LEASE);
    Optional<Rollout> newest = stores.rollouts().find(stores.rollouts().active().rollout());
    if (grant.isPresent()) {
      expiry.run();
      if (newest.isPresent()) {
        drive(newest.get());
        newest = stores.rollouts().find(newest.get().id());
      }
    }
    figures = new RolloutFigures(grant.isPresent(), newest);
  }

  /** What is known since the last look. */
  public RolloutFigures figures() {
    return figures;
  }

  /** Gives the lease up, so that another instance takes over at once. */
  public void release() {
    stores.driver().release(instance);
    figures = RolloutFigures.NONE;
  }

  private void drive(Rollout rollout) {
    if (seen != rollout.id()) {
      stores.samples().deleteBefore(rollout.id());
      seen = rollout.id();
    }
    if (rollout.state().isEnd()) {
      finish(rollout);
      return;
    }
    RolloutPlan plan;
    try {
      plan = RolloutPlan.parse(rollout.plan());
    } catch (IllegalArgumentException e) {
      pauseUnreadable(rollout, e.getMessage());
      return;
    }
    Verdict verdict = Judge.judge(evidence.situation(rollout, plan));
    String numbers = verdict.findings().toJson();
    Optional<String> complaint = complaint(rollout);
    if (complaint.isPresent()) {
      rollBack(rollout, complaint.get(), numbers);
    } else if (verdict instanceof Verdict.RollBack harm) {
      rollBack(rollout, harm.reason(), numbers);
    } else if (rollout.state() != RolloutState.PAUSED) {
      goOn(rollout, plan, verdict, numbers);
    }
  }

  /** What instances and upstreams say against the new version. */
  private Optional<String> complaint(Rollout rollout) {
    List<Veto> vetoes = stores.vetoes().open(rollout.id());
    if (!vetoes.isEmpty()) {
      Veto first = vetoes.get(0);
      String others = vetoes.size() == 1 ? "" : " (and " + (vetoes.size() - 1) + " more)";
      return Optional.of("veto of instance " + first.instance() + others + ": " + first.reason());
    }
    return upstream.complaint(rollout);
  }

  private void goOn(Rollout rollout, RolloutPlan plan, Verdict verdict, String numbers) {
    int step = rollout.step();
    if (verdict instanceof Verdict.Advance advance) {
      String note = advance.note().isEmpty() ? "" : "not judged: " + advance.note();
      Transition next =
          plan.isLast(step)
              ? new Transition(step, RolloutState.DONE, note, numbers)
              : new Transition(step + 1, plan.stateAt(step + 1), note, numbers);
      move(rollout, next, plan.isLast(step) ? "done" : "step " + plan.step(step + 1));
    } else if (verdict instanceof Verdict.Held held && !isHeldFor(rollout, held)) {
      move(rollout, new Transition(step, RolloutState.HELD, held.text(), numbers), held.text());
    }
  }

  /** Whether it is held for this reason already; details that change make no entries. */
  private static boolean isHeldFor(Rollout rollout, Verdict.Held held) {
    return rollout.state() == RolloutState.HELD
        && rollout.reason().startsWith(held.reason().text());
  }

  private void rollBack(Rollout rollout, String reason, String numbers) {
    move(rollout, new Transition(rollout.step(), RolloutState.ROLLED_BACK, reason, numbers), reason)
        .ifPresent(this::finish);
  }

  private void pauseUnreadable(Rollout rollout, String problem) {
    if (rollout.state() != RolloutState.PAUSED) {
      String reason = "the plan cannot be read: " + problem;
      move(
          rollout,
          new Transition(rollout.step(), RolloutState.PAUSED, reason, rollout.evidence()),
          reason);
    }
  }

  /** Empty if another transition came first; the next look sees it. */
  private Optional<Rollout> move(Rollout rollout, Transition next, String message) {
    RolloutStore.Result result =
        stores
            .rollouts()
            .move(rollout.id(), rollout.revision(), next, Origin.process(instance, message));
    if (result instanceof RolloutStore.Result.Moved moved) {
      LOG.info("rollout {} of version {}: {}", rollout.id(), rollout.to(), message);
      return Optional.of(moved.rollout());
    }
    return Optional.empty();
  }

  /** What remains to be done after the end: once after the transition, and once after a start. */
  private void finish(Rollout rollout) {
    if (finished == rollout.id()) {
      return;
    }
    if (rollout.state() == RolloutState.ROLLED_BACK) {
      restore(stores, restorer, rollout);
    }
    stores.samples().delete(rollout.id());
    finished = rollout.id();
  }

  static void restore(ControlStores stores, RuleRestorer restorer, Rollout rollout) {
    Optional<Version> from = stores.versions().find(rollout.from());
    Optional<Version> refused = stores.versions().find(rollout.to());
    refused.ifPresent(it -> restorer.restore(rollout, from, it));
  }
}
