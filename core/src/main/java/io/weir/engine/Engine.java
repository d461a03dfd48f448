package io.weir.engine;

import static java.util.concurrent.CompletableFuture.completedFuture;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Explanation;
import io.weir.OnFail;
import io.weir.SettlementResult;
import io.weir.adjust.RejectedControl;
import io.weir.adjust.TrafficControls;
import io.weir.base.KeyEncoding;
import io.weir.engine.ReservationService.MarkerLifetime;
import io.weir.guard.NewKeyCap;
import io.weir.near.NearStore;
import io.weir.near.ScopeRouter;
import io.weir.observe.AdmissionAuditor;
import io.weir.observe.QuotaUsage;
import io.weir.rule.RuleSet;
import io.weir.rule.index.RuleIndex;
import io.weir.rule.penalty.RefusalCounter;
import io.weir.rule.penalty.TightenedKeys;
import io.weir.store.Draw;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import io.weir.store.memory.MemoryStore;
import io.weir.time.TimeSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Decides calls by rules. It does the work of {@link io.weir.Weir}, and has further methods for
 * front ends.
 *
 * <pre>
 *   call ─► DrawPlanner: draws ─► DrawExecutor ─► near store, Redis or memory ─► Decision
 *                             └─► ReservationService, if the call is settled later
 * </pre>
 *
 * <p>{@link #check} blocks if the store is remote. Every other method that decides returns a stage
 * and does not block.
 */
public final class Engine implements AutoCloseable {
  private final MemoryStore local;
  private final @Nullable NearStore nearStore;
  private final NewKeyCap newKeyCap;
  private final @Nullable AdmissionAuditor auditor;
  private final @Nullable QuotaUsage quotaUsage;
  private final Store store;
  private final TimeSource time;
  private final DrawExecutor executor;
  private final Store failSafeStore;
  private final ReservationService reservations;
  private final DrawPlanner planner;
  private final DecisionNotifier notifier;
  private final KeyStateService keys;
  private final CallExplainer explainer;
  private final TightenedKeys tightened;
  private final RefusalCounter refusals;
  private volatile CompiledRules rules;
  private volatile List<RejectedControl> rejectedControls = List.of();
  private volatile boolean closed;

  Engine(EngineBuilder builder) {
    this.time = builder.time;
    this.local = localOf(builder);
    this.notifier = new DecisionNotifier(builder.listener);
    Store shared = builder.store;
    this.nearStore =
        shared == null || shared == local
            ? null
            : NearStore.before(shared, local, time, builder.instanceCount(), notifier::onError);
    Store unaudited = nearStore == null ? local : new ScopeRouter(local, nearStore);
    this.newKeyCap = new NewKeyCap(builder.newKeysPerAddress, time);
    this.auditor =
        builder.audited ? new AdmissionAuditor(unaudited, time, builder.instanceCount()) : null;
    Store watched = auditor == null ? unaudited : auditor;
    this.quotaUsage =
        builder.quotaUsage ? new QuotaUsage(watched, shared == null ? local : shared, time) : null;
    this.store = quotaUsage == null ? watched : quotaUsage;
    this.planner = new DrawPlanner(time, local, newKeyCap, nearStore != null);
    this.tightened = new TightenedKeys(time);
    this.refusals = new RefusalCounter(unaudited, tightened, notifier::onError);
    this.rules = compile(builder.rules);
    this.executor =
        new DrawExecutor(store, local, nearStore, ShardedExecutor.in(store, time), notifier);
    this.failSafeStore = new FailSafeStore(store, executor, notifier);
    this.reservations =
        new ReservationService(
            store,
            time,
            builder.secret,
            (rule, slot, key, tenant) -> rules.pool(rule, slot, key, tenant, time.wallMicros()),
            executor::failed);
    this.keys = new KeyStateService(store, time);
    this.explainer = new CallExplainer(planner, executor, time);
  }

  private CompiledRules compile(RuleSet set) {
    refusals.replaceRules(set);
    return CompiledRules.of(set, tightened).registerWith(local);
  }

  private static MemoryStore localOf(EngineBuilder builder) {
    if (builder.store instanceof MemoryStore memory) {
      return memory;
    }
    return builder.local == null ? MemoryStore.builder().time(builder.time).build() : builder.local;
  }

  /** Starts an engine without rules that keeps its state in this process. */
  public static EngineBuilder builder() {
    return new EngineBuilder();
  }

  private CompiledRules inForce() {
    if (closed) {
      throw new IllegalStateException("this Weir is closed");
    }
    return rules;
  }

  /** The rules in force. */
  public RuleSet rules() {
    return rules.index().rules();
  }

  /** Replaces all rules; see {@link io.weir.Weir#replaceRules}. Controls stay. */
  public synchronized void replaceRules(RuleSet next) {
    CompiledRules compiled = compile(next).with(rules.controls());
    rejectedControls = compiled.index().keys().load(compiled.controls());
    rules = compiled;
    limitsChanged();
  }

  /** The overrides, blocks, signals and kill switches in force or to come. */
  public TrafficControls controls() {
    return rules.controls();
  }

  /**
   * Replaces all controls. Keys whose controls changed have the new numbers at once: their leases
   * on this instance are given back, and their cached refusals no longer apply.
   */
  public synchronized void control(TrafficControls next) {
    CompiledRules before = rules;
    Set<Long> changed = before.controls().changedKeys(next);
    rejectedControls = before.index().keys().load(next);
    rules = before.with(next);
    next.continueFrom(before.controls());
    if (nearStore != null && !changed.isEmpty()) {
      nearStore.giveBack(key -> changed.contains(key.fixedHash("")));
    }
  }

  /** Whether a kill switch has all rules in shadow now; for front ends with their own rules. */
  public boolean isKilled() {
    TrafficControls controls = rules.controls();
    return controls.hasKillSwitches() && controls.isKilled("", null, time.wallMicros());
  }

  /** The overrides that cannot be applied under the rules in force. */
  public List<RejectedControl> rejectedControls() {
    return rejectedControls;
  }

  /**
   * The state of a key of a rule. Takes nothing.
   *
   * @param values in the order of the rule's dimensions
   * @return fails with {@link StoreUnavailableException} if the store does not answer
   * @throws java.util.NoSuchElementException if no such rule is in force
   * @throws IllegalArgumentException if the rule has another number of dimensions
   */
  public CompletionStage<KeyView> lookKey(String rule, List<String> values) {
    return keys.look(inForce(), rule, values);
  }

  /** Makes a key of a rule that of a new caller: nothing taken. As {@link #lookKey} otherwise. */
  public CompletionStage<KeyView> resetKey(String rule, List<String> values) {
    return keys.reset(inForce(), rule, values);
  }

  /**
   * Gives tokens back to a key of a rule, up to the capacity of each limit. As {@link #lookKey}
   * otherwise; a rule that has only concurrency limits is an illegal argument.
   */
  public CompletionStage<KeyView> grantKey(String rule, List<String> values, long tokens) {
    return keys.grant(inForce(), rule, values, tokens);
  }

  /**
   * Gives leases back and restarts the audit, as limits may have changed. For front ends that
   * compile their own rules.
   */
  public void limitsChanged() {
    if (auditor != null) {
      auditor.rulesChanged();
    }
    giveBackAsync();
  }

  /**
   * Gives back the tokens that this instance has leased from a shared store. {@link #close} does so
   * too, but does not wait long.
   */
  public CompletionStage<Void> giveBackAsync() {
    return nearStore == null ? completedFuture(null) : nearStore.giveBack();
  }

  /** The near store in front of a shared store; empty if all state is in this process. */
  public Optional<NearStore> nearStore() {
    return Optional.ofNullable(nearStore);
  }

  /** The audit of admissions, if it is on. */
  public Optional<AdmissionAuditor> auditor() {
    return Optional.ofNullable(auditor);
  }

  /** The counts of quotas, if they are followed. */
  public Optional<QuotaUsage> quotaUsage() {
    return Optional.ofNullable(quotaUsage);
  }

  /** The cap on new keys per client address. */
  public NewKeyCap newKeyCap() {
    return newKeyCap;
  }

  /**
   * The store, for front ends that compile their own rules. Any failure becomes the {@link OnFail}
   * decision of the draw's pool.
   */
  public Store store() {
    return failSafeStore;
  }

  /**
   * Decides a call, and takes its cost if it is allowed.
   *
   * @throws IllegalArgumentException if an attribute that a rule takes as cost is not a whole
   *     number
   */
  public Decision check(Call call) {
    CompiledRules rules = inForce();
    Decision bypassed = planner.bypass(rules, call, Draw.Intent.TAKE_NOW);
    if (bypassed != null) {
      return notifier.onDecision(call, bypassed);
    }
    RuleIndex.DrawPlan plan = planner.plan(rules, call, Draw.Intent.TAKE);
    if (DrawPlanner.isImmediate(plan)) {
      return notifier.onDecision(call, DrawPlanner.immediateDecision(plan));
    }
    TakeResult result = executor.takeSync(rules, plan.draws());
    return onDecision(call, plan.draws(), Decision.of(result.statuses()));
  }

  private Decision onDecision(Call call, List<Draw> draws, Decision decision) {
    return notifier.onDecision(call, refusals.count(draws, decision));
  }

  /** As {@link #check}, without blocking. */
  public CompletionStage<Decision> checkAsync(Call call) {
    return decide(call, Draw.Intent.TAKE);
  }

  /** As {@link #checkAsync}, but a leaky bucket admits a call only if no delay is needed. */
  public CompletionStage<Decision> checkUndelayedAsync(Call call) {
    return decide(call, Draw.Intent.TAKE_NOW);
  }

  private CompletionStage<Decision> decide(Call call, Draw.Intent intent) {
    CompiledRules rules = inForce();
    Decision bypassed = planner.bypass(rules, call, Draw.Intent.TAKE_NOW);
    if (bypassed != null) {
      return completedFuture(notifier.onDecision(call, bypassed));
    }
    RuleIndex.DrawPlan plan = planner.plan(rules, call, intent);
    if (DrawPlanner.isImmediate(plan)) {
      return completedFuture(notifier.onDecision(call, DrawPlanner.immediateDecision(plan)));
    }
    List<Draw> draws = plan.draws();
    return executor.take(
        rules, draws, result -> onDecision(call, draws, Decision.of(result.statuses())));
  }

  /**
   * Checks that a call can be decided, before others of its batch are. Takes nothing and sends no
   * request.
   *
   * @throws IllegalArgumentException if an attribute that a rule takes as cost is not a whole
   *     number
   */
  public void requireCosts(Call call) {
    planner.requireCosts(inForce(), call);
  }

  /**
   * Decides several calls as one, without delay: all of them pass and take their cost, or none.
   *
   * @return a decision per call, in order; the calls may pass if all of them are allowed
   */
  public CompletionStage<List<Decision>> checkAllAsync(List<Call> calls) {
    CompiledRules rules = inForce();
    CallGroup group = new CallGroup();
    calls.forEach(call -> group.add(planner, rules, call));
    List<Draw> draws = group.draws();
    return draws.isEmpty()
        ? completedFuture(
            notifier.onDecision(
                calls, group.decisions(new TakeResult(true, List.of(), List.of()), refusals)))
        : executor.take(
            rules, draws, result -> notifier.onDecision(calls, group.decisions(result, refusals)));
  }

  /**
   * Takes the cost of a call, and permits of concurrency limits. If allowed, the decision has a
   * reservation, by which the call is settled or released.
   */
  public CompletionStage<Decision> reserveAsync(Call call) {
    CompiledRules rules = inForce();
    Decision bypassed = planner.bypass(rules, call, Draw.Intent.TAKE_NOW);
    if (bypassed != null) {
      return reservations
          .reserve(List.of(), "")
          .thenApply(
              empty ->
                  notifier.onDecision(
                      call, bypassed.withReservation(empty.reservation().orElseThrow())));
    }
    RuleIndex.DrawPlan plan = planner.planCapped(rules, call, Draw.Intent.HOLD);
    if (plan.deniedBy() != null) {
      return completedFuture(notifier.onDecision(call, DrawPlanner.immediateDecision(plan)));
    }
    return reservations
        .reserve(plan.draws(), tenantOf(call))
        .thenApply(made -> onDecision(call, plan.draws(), made));
  }

  /**
   * As {@link #reserveAsync}, for future calls that a front end decides itself: as many as the
   * cost. Takes no permits and does not notify the listener. Settled at the number of calls made.
   */
  public CompletionStage<AdvanceReservation> reserveAheadAsync(Call call) {
    CompiledRules rules = inForce();
    Decision bypassed = planner.bypass(rules, call, Draw.Intent.TAKE_NOW);
    if (bypassed != null) {
      return completedFuture(AdvanceReservation.of(bypassed, List.of()));
    }
    RuleIndex.DrawPlan plan =
        planner.planCapped(rules, call, Draw.Intent.HOLD).inAdvance(call.cost());
    return DrawPlanner.isImmediate(plan)
        ? completedFuture(AdvanceReservation.of(DrawPlanner.immediateDecision(plan), List.of()))
        : reservations
            .reserve(plan.draws(), tenantOf(call))
            .thenApply(made -> AdvanceReservation.of(made, plan.draws()));
  }

  private static String tenantOf(Call call) {
    String tenant = call.attribute("tenant");
    return tenant == null || tenant.length() > KeyEncoding.MAX_LENGTH ? "" : tenant;
  }

  /**
   * As {@link #checkAsync}, for front ends that see the end of a call: takes permits too. The
   * decision carries a reservation only if permits are to be released, or a response has the cost.
   */
  public CompletionStage<Decision> checkAndHoldAsync(Call call) {
    CompiledRules rules = inForce();
    if (!rules.deferredCosts().any()) {
      return decide(call, Draw.Intent.TAKE);
    }
    Decision bypassed = planner.bypass(rules, call, Draw.Intent.TAKE_NOW);
    if (bypassed != null) {
      return completedFuture(notifier.onDecision(call, bypassed));
    }
    RuleIndex.DrawPlan plan = planner.planCapped(rules, call, Draw.Intent.HOLD);
    if (DrawPlanner.isImmediate(plan)) {
      return completedFuture(notifier.onDecision(call, DrawPlanner.immediateDecision(plan)));
    }
    return rules.deferredCosts().anyOf(plan.draws())
        ? reservations
            .reserve(plan.draws(), tenantOf(call))
            .thenApply(made -> onDecision(call, plan.draws(), made))
        : executor.take(
            rules,
            plan.draws(),
            result -> onDecision(call, plan.draws(), Decision.of(result.statuses())));
  }

  /** See {@link io.weir.Weir#settleAsync(String, long)}. */
  public CompletionStage<SettlementResult> settleAsync(String reservation, long cost) {
    return reservations.settle(reservation, cost, MarkerLifetime.ANY_CLIENT);
  }

  /** See {@link io.weir.Weir#settleAsync(String, Map)}. */
  public CompletionStage<SettlementResult> settleAsync(
      String reservation, Map<String, Long> costs) {
    return reservations.settle(reservation, costs, MarkerLifetime.ANY_CLIENT);
  }

  /**
   * As {@link #settleAsync(String, long)}, for the only holder of a reservation, which settles it
   * once. The store keeps the settled marker for a short time only, so that a settlement per call
   * does not fill it. A cost above the cap is not refused: it is charged as the cap.
   */
  public CompletionStage<SettlementResult> settleOnceAsync(String reservation, long cost) {
    return reservations.settle(reservation, cost, MarkerLifetime.THIS_PROCESS);
  }

  /** As {@link #settleOnceAsync(String, long)}, for some rules by their ids. */
  public CompletionStage<SettlementResult> settleOnceAsync(
      String reservation, Map<String, Long> costs) {
    return reservations.settle(reservation, costs, MarkerLifetime.THIS_PROCESS);
  }

  /** How many limits were charged their cap, because the cost of a settlement exceeded it. */
  public long clampedSettlements() {
    return reservations.clamped();
  }

  /** Releases the permits of a reservation. */
  public CompletionStage<SettlementResult> releaseAsync(String reservation) {
    return reservations.release(reservation);
  }

  /** Renews the permits of a reservation: their lifetime starts again. */
  public CompletionStage<SettlementResult> renewAsync(String reservation) {
    return reservations.renew(reservation);
  }

  /** The status of the limits on a call. Takes nothing and does not notify the listener. */
  public CompletionStage<Decision> lookAsync(Call call) {
    CompiledRules rules = inForce();
    Decision bypassed = planner.bypass(rules, call, Draw.Intent.LOOK);
    if (bypassed != null) {
      return completedFuture(bypassed);
    }
    RuleIndex.DrawPlan plan = planner.plan(rules, call, Draw.Intent.LOOK);
    return DrawPlanner.isImmediate(plan)
        ? completedFuture(DrawPlanner.immediateDecision(plan))
        : executor.take(rules, plan.draws(), result -> Decision.of(result.statuses()));
  }

  /**
   * The decision that a call would get and why, with the arithmetic: what its caller may know.
   * Takes nothing.
   */
  public CompletionStage<Explanation> explainAsync(Call call) {
    return explainer.explain(inForce(), call);
  }

  /** As {@link #explainAsync}, with overrides, blocks, signals and kill switches. */
  public CompletionStage<Explanation> explainForOperatorsAsync(Call call) {
    return explainer.explainForOperators(inForce(), call);
  }

  /** Closes the store; see {@link io.weir.Weir#close}. */
  @Override
  public void close() {
    closed = true;
    store.close();
  }
}
