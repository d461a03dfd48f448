package io.weir;

import io.weir.engine.AdvanceReservation;
import io.weir.engine.CallGroup;
import io.weir.engine.CompiledRules;
import io.weir.engine.DecisionNotifier;
import io.weir.engine.DrawExecutor;
import io.weir.engine.DrawPlanner;
import io.weir.engine.FailSafeStore;
import io.weir.engine.ReservationService;
import io.weir.engine.ReservationService.MarkerLifetime;
import io.weir.engine.ShardedExecutor;
import io.weir.guard.NewKeyCap;
import io.weir.near.NearStore;
import io.weir.near.ScopeRouter;
import io.weir.observe.AdmissionAuditor;
import io.weir.rule.RuleSet;
import io.weir.rule.index.RuleIndex;
import io.weir.store.Draw;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import io.weir.store.memory.MemoryStore;
import io.weir.time.SystemTime;
import io.weir.time.TimeSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides calls by rules.
 *
 * <pre>{@code
 * Weir weir = Weir.builder().rules(rules).build();
 * Decision decision = weir.check(Call.of("POST", "/payments").with("user", "42"));
 * if (!decision.allowed()) { ... decision.retryAfter() ... }
 * }</pre>
 *
 * <p>A call draws from the buckets of all rules that match it, or from none of them. {@link
 * #rules(RuleSet)} swaps the rules at any time; keys keep what they have taken.
 *
 * <p>For one limit by key and no rules there is {@link #limiter}.
 */
public final class Weir implements AutoCloseable {
  private final MemoryStore local;
  private final @Nullable NearStore tier;
  private final NewKeyCap newcomers;
  private final @Nullable AdmissionAuditor witness;
  private final Store store;
  private final TimeSource time;
  private final DrawExecutor asker;
  private final Store sheltered;
  private final ReservationService desk;
  private final DrawPlanner planner;
  private final DecisionNotifier audience;
  private volatile CompiledRules rules;
  private volatile boolean closed;

  private Weir(Builder builder) {
    this.time = builder.time;
    this.local = localOf(builder);
    this.audience = new DecisionNotifier(builder.listener);
    Store shared = builder.store;
    this.tier =
        shared == null || shared == local
            ? null
            : NearStore.before(shared, local, time, builder.instances, audience::onError);
    Store unwatched = tier == null ? local : new ScopeRouter(local, tier);
    this.newcomers = new NewKeyCap(builder.newKeysPerAddress, time);
    this.witness =
        builder.witnessed ? new AdmissionAuditor(unwatched, time, builder.instances) : null;
    this.store = witness == null ? unwatched : witness;
    this.planner = new DrawPlanner(time, local, newcomers, tier != null);
    this.rules = CompiledRules.of(builder.rules).registerWith(local);
    this.asker = new DrawExecutor(store, local, tier, ShardedExecutor.in(store, time), audience);
    this.sheltered = new FailSafeStore(store, asker, audience);
    this.desk =
        new ReservationService(
            store,
            time,
            builder.secret,
            (rule, slot, tenant) -> rules.index().pool(rule, slot, tenant, time.wallMicros()),
            asker::failed);
  }

  private static MemoryStore localOf(Builder builder) {
    if (builder.store instanceof MemoryStore memory) {
      return memory;
    }
    return builder.local == null ? MemoryStore.builder().time(builder.time).build() : builder.local;
  }

  public static Builder builder() {
    return new Builder();
  }

  /** A limiter by key in this process: one limit, no rules. */
  public static Limiter limiter(Limit limit) {
    return Limiter.builder(limit).build();
  }

  private CompiledRules inForce() {
    if (closed) {
      throw new IllegalStateException("this Weir is closed and decides nothing any more");
    }
    return rules;
  }

  /** The rules that hold now. */
  public RuleSet rules() {
    return rules.index().rules();
  }

  /**
   * Swaps the rules, whole; calls under way finish under the old ones. Leases under the old ones go
   * back.
   */
  public void rules(RuleSet next) {
    rules = CompiledRules.of(next).registerWith(local);
    limitsChanged();
  }

  /**
   * Lets go of what belongs to limits that may not hold any more: leases go back, and what is
   * counted beside the store begins anew. For front ends that draw by rules in a form of their own.
   */
  public void limitsChanged() {
    if (witness != null) {
      witness.rulesChanged();
    }
    giveBack();
  }

  /**
   * Gives back what this instance has taken from a shared store in advance; so does {@link #close},
   * without waiting long.
   */
  public CompletionStage<Void> giveBack() {
    return tier == null ? CompletableFuture.completedFuture(null) : tier.giveBack();
  }

  /** What stands before the shared store; empty where all state is in this process. */
  public Optional<NearStore> tier() {
    return Optional.ofNullable(tier);
  }

  /** Who counts again what passes, if that was asked for. */
  public Optional<AdmissionAuditor> witness() {
    return Optional.ofNullable(witness);
  }

  /** The cap on keys that an address brings to the store. */
  public NewKeyCap newcomers() {
    return newcomers;
  }

  /**
   * Where all state lives; for front ends that draw by rules in a form of their own. Whatever goes
   * wrong there, draws are answered by the {@link OnFail} of their pools.
   */
  public Store store() {
    return sheltered;
  }

  /**
   * Decides a call, and takes its cost if it may pass.
   *
   * @throws IllegalArgumentException if an attribute that a rule takes as cost is no whole number
   */
  public Decision check(Call call) {
    CompiledRules now = inForce();
    Decision bypassed = planner.bypass(now, call, Draw.Intent.TAKE_NOW);
    if (bypassed != null) {
      return audience.onDecision(call, bypassed);
    }
    RuleIndex.DrawPlan drawing = planner.plan(now, call, Draw.Intent.TAKE);
    if (DrawPlanner.isImmediate(drawing)) {
      return audience.onDecision(call, DrawPlanner.immediateDecision(drawing));
    }
    TakeResult taking = asker.takeNow(now, drawing.draws());
    return audience.onDecision(call, Decision.of(taking.standings()));
  }

  /** As {@link #check}, without blocking where the store is elsewhere. */
  public CompletionStage<Decision> checkAsync(Call call) {
    return decide(call, Draw.Intent.TAKE);
  }

  /**
   * As {@link #checkAsync}, for callers that cannot make a call wait: shaped traffic passes only if
   * it need not.
   */
  public CompletionStage<Decision> checkNow(Call call) {
    return decide(call, Draw.Intent.TAKE_NOW);
  }

  private CompletionStage<Decision> decide(Call call, Draw.Intent intent) {
    CompiledRules now = inForce();
    Decision bypassed = planner.bypass(now, call, Draw.Intent.TAKE_NOW);
    if (bypassed != null) {
      return CompletableFuture.completedFuture(audience.onDecision(call, bypassed));
    }
    RuleIndex.DrawPlan drawing = planner.plan(now, call, intent);
    if (DrawPlanner.isImmediate(drawing)) {
      return CompletableFuture.completedFuture(
          audience.onDecision(call, DrawPlanner.immediateDecision(drawing)));
    }
    return asker.take(
        now, drawing.draws(), taking -> audience.onDecision(call, Decision.of(taking.standings())));
  }

  /**
   * Looks whether a call can be decided at all, before others that come with it are; takes nothing,
   * and asks no store.
   *
   * @throws IllegalArgumentException if an attribute that a rule takes as cost is no whole number
   */
  public void requireCosts(Call call) {
    planner.requireCosts(inForce(), call);
  }

  /**
   * Decides several calls as one, none of which can wait: all of them pass and take their cost, or
   * none.
   *
   * @return a decision per call, in order; the calls may pass if all of them are allowed
   */
  public CompletionStage<List<Decision>> checkTogether(List<Call> calls) {
    CompiledRules now = inForce();
    CallGroup together = new CallGroup();
    calls.forEach(call -> add(together, now, call));
    List<Draw> draws = together.draws();
    return draws.isEmpty()
        ? CompletableFuture.completedFuture(
            audience.onDecision(
                calls, together.decisions(new TakeResult(true, List.of(), List.of()))))
        : asker.take(now, draws, taking -> audience.onDecision(calls, together.decisions(taking)));
  }

  private void add(CallGroup together, CompiledRules now, Call call) {
    Decision bypassed = planner.bypass(now, call, Draw.Intent.TAKE_NOW);
    if (bypassed != null) {
      together.add(bypassed);
      return;
    }
    RuleIndex.DrawPlan drawing = planner.planByName(now, call, Draw.Intent.TAKE_NOW);
    if (DrawPlanner.isImmediate(drawing)) {
      together.add(DrawPlanner.immediateDecision(drawing));
    } else {
      together.add(drawing);
    }
  }

  // ---- reserving

  /** Takes a call's cost, permits too, to be settled or released by the decision's reservation. */
  public CompletionStage<Decision> reserve(Call call) {
    CompiledRules now = inForce();
    Decision bypassed = planner.bypass(now, call, Draw.Intent.TAKE_NOW);
    if (bypassed != null) {
      return desk.reserve(List.of(), "")
          .thenApply(
              empty ->
                  audience.onDecision(call, bypassed.reserved(empty.reservation().orElseThrow())));
    }
    RuleIndex.DrawPlan drawing = planner.planByName(now, call, Draw.Intent.HOLD);
    if (drawing.deniedBy() != null) {
      return CompletableFuture.completedFuture(
          audience.onDecision(call, DrawPlanner.immediateDecision(drawing)));
    }
    return desk.reserve(drawing.draws(), tenantOf(call))
        .thenApply(made -> audience.onDecision(call, made));
  }

  /**
   * As {@link #reserve}, for calls that are still to come and that somebody else decides: as many
   * as the cost says. Takes no permits, as nobody could say when such a call ends, and is no
   * decision to anybody who listens. To be settled at the number of calls that there were.
   */
  public CompletionStage<AdvanceReservation> reserveAhead(Call call) {
    CompiledRules now = inForce();
    Decision bypassed = planner.bypass(now, call, Draw.Intent.TAKE_NOW);
    if (bypassed != null) {
      return CompletableFuture.completedFuture(AdvanceReservation.of(bypassed, List.of()));
    }
    RuleIndex.DrawPlan drawing =
        planner.planByName(now, call, Draw.Intent.HOLD).inAdvance(call.cost());
    return DrawPlanner.isImmediate(drawing)
        ? CompletableFuture.completedFuture(
            AdvanceReservation.of(DrawPlanner.immediateDecision(drawing), List.of()))
        : desk.reserve(drawing.draws(), tenantOf(call))
            .thenApply(made -> AdvanceReservation.of(made, drawing.draws()));
  }

  private static String tenantOf(Call call) {
    String tenant = call.attribute("tenant");
    return tenant == null || tenant.length() > KeyEncoding.LONGEST ? "" : tenant;
  }

  /**
   * As {@link #checkAsync}, for front ends that know when a call ends: takes permits too. The
   * decision carries a reservation only if something is to be put right later, which is permits to
   * release or a cost that the response tells.
   */
  public CompletionStage<Decision> enter(Call call) {
    CompiledRules now = inForce();
    if (!now.later().any()) {
      return decide(call, Draw.Intent.TAKE);
    }
    Decision bypassed = planner.bypass(now, call, Draw.Intent.TAKE_NOW);
    if (bypassed != null) {
      return CompletableFuture.completedFuture(audience.onDecision(call, bypassed));
    }
    RuleIndex.DrawPlan drawing = planner.planByName(now, call, Draw.Intent.HOLD);
    if (DrawPlanner.isImmediate(drawing)) {
      return CompletableFuture.completedFuture(
          audience.onDecision(call, DrawPlanner.immediateDecision(drawing)));
    }
    return now.later().anyOf(drawing.draws())
        ? desk.reserve(drawing.draws(), tenantOf(call))
            .thenApply(made -> audience.onDecision(call, made))
        : asker.take(
            now,
            drawing.draws(),
            taking -> audience.onDecision(call, Decision.of(taking.standings())));
  }

  /**
   * Puts a reservation right at its true cost: 0 gives all back, more than was reserved goes into
   * debt. Every limit is charged at most ten times what was reserved or its capacity, whichever is
   * larger.
   *
   * @throws IllegalArgumentException if the cost is negative, or more than any of the limits may be
   *     charged
   */
  public CompletionStage<SettlementResult> settle(String reservation, long cost) {
    return desk.settle(reservation, cost, MarkerLifetime.ANYBODY);
  }

  /**
   * Puts a reservation right for the rules whose true cost has become known, by their ids; the
   * others keep what they took.
   *
   * @throws IllegalArgumentException if a cost is negative, or more than any limit of the rule may
   *     be charged; see {@link #settle(String, long)}
   */
  public CompletionStage<SettlementResult> settle(String reservation, Map<String, Long> costs) {
    return desk.settle(reservation, costs, MarkerLifetime.ANYBODY);
  }

  /**
   * As {@link #settle(String, long)}, by the only holder of a reservation, who does so once: it is
   * soon forgotten that it was settled, so that a settlement per call does not fill the store. A
   * cost that is too high is not refused: limits are charged as much as they may be.
   */
  public CompletionStage<SettlementResult> settleOnce(String reservation, long cost) {
    return desk.settle(reservation, cost, MarkerLifetime.HOLDER);
  }

  /** As {@link #settle(String, Map)}, by the only holder of a reservation, who does so once. */
  public CompletionStage<SettlementResult> settleOnce(String reservation, Map<String, Long> costs) {
    return desk.settle(reservation, costs, MarkerLifetime.HOLDER);
  }

  /** How many limits were charged less than a settlement asked for, as it was too high. */
  public long clampedSettlements() {
    return desk.clamped();
  }

  /** Gives back the permits of a reservation. */
  public CompletionStage<SettlementResult> release(String reservation) {
    return desk.release(reservation);
  }

  /** Gives the permits of a reservation their full life again. */
  public CompletionStage<SettlementResult> renew(String reservation) {
    return desk.renew(reservation);
  }

  // ---- looking

  /** How the limits on a call stand; takes nothing, and is no decision to anybody who listens. */
  public CompletionStage<Decision> look(Call call) {
    CompiledRules now = inForce();
    Decision bypassed = planner.bypass(now, call, Draw.Intent.LOOK);
    if (bypassed != null) {
      return CompletableFuture.completedFuture(bypassed);
    }
    RuleIndex.DrawPlan drawing = planner.plan(now, call, Draw.Intent.LOOK);
    return DrawPlanner.isImmediate(drawing)
        ? CompletableFuture.completedFuture(DrawPlanner.immediateDecision(drawing))
        : asker.take(now, drawing.draws(), taking -> Decision.of(taking.standings()));
  }

  /** How a call would be decided and why, with the arithmetic; takes nothing. */
  public CompletionStage<Explanation> explain(Call call) {
    CompiledRules now = inForce();
    List<Explanation.RuleCheck> notes = now.index().explain(call);
    Decision bypassed = planner.bypass(now, call, Draw.Intent.LOOK);
    if (bypassed != null) {
      return CompletableFuture.completedFuture(
          new Explanation(call.normalPath(), notes, List.of(), bypassed));
    }
    RuleIndex.DrawPlan drawing = planner.plan(now, call, Draw.Intent.LOOK);
    if (DrawPlanner.isImmediate(drawing)) {
      return CompletableFuture.completedFuture(
          new Explanation(
              call.normalPath(), notes, List.of(), DrawPlanner.immediateDecision(drawing)));
    }
    return asker.describe(
        drawing.draws(),
        (tried, texts) ->
            new Explanation(
                call.normalPath(),
                notes,
                tried.limitChecks(texts),
                Decision.of(tried.taking().standings())));
  }

  /**
   * Closes the store, also one that was given. Calls that are in flight end. Every new one is an
   * error of the program and throws {@link IllegalStateException}, but for {@link #settle}, {@link
   * #release} and {@link #renew}: they end what was begun before, as far as the store still does.
   */
  @Override
  public void close() {
    closed = true;
    store.close();
  }

  /** What a limiter by rules is made of. */
  public static final class Builder {
    private RuleSet rules = RuleSet.EMPTY;
    private @Nullable Store store;
    private @Nullable MemoryStore local;
    private TimeSource time = SystemTime.INSTANCE;
    private byte[] secret = {};
    private IntSupplier instances = () -> 1;
    private @Nullable DecisionListener listener;
    private boolean witnessed;
    private int newKeysPerAddress = NewKeyCap.DEFAULT_MOST;

    private Builder() {}

    /** The rules to start with. */
    public Builder rules(RuleSet rules) {
      this.rules = rules;
      return this;
    }

    /**
     * Where state lives; in this process unless said otherwise. Rules of scope instance stay here
     * in any case, and while the store cannot answer, every rule does what its {@link OnFail} says.
     */
    public Builder store(Store store) {
      this.store = store;
      return this;
    }

    /** The memory for what stays in this process although there is a store elsewhere. */
    public Builder local(MemoryStore local) {
      this.local = local;
      return this;
    }

    /** Time of its own, for tests and simulations. */
    public Builder time(TimeSource time) {
      this.time = time;
      return this;
    }

    /**
     * What reservations are signed with; instances that settle each other's share it. Random unless
     * said otherwise.
     */
    public Builder reservationSecret(byte[] secret) {
      this.secret = secret.clone();
      return this;
    }

    /**
     * How many instances share the store, as last heard: while it is away, each decides by that
     * part of every limit.
     */
    public Builder instances(IntSupplier instances) {
      this.instances = instances;
      return this;
    }

    /** Who hears of every decision. */
    public Builder listener(DecisionListener listener) {
      this.listener = listener;
      return this;
    }

    /** Has a few keys of each rule counted again beside the store; see {@link AdmissionAuditor}. */
    public Builder witnessed() {
      this.witnessed = true;
      return this;
    }

    /**
     * How many keys that are new to this instance an address may bring to a rule in a minute; see
     * {@link NewKeyCap}.
     */
    public Builder newKeysPerAddress(int most) {
      this.newKeysPerAddress = most;
      return this;
    }

    public Weir build() {
      return new Weir(this);
    }
  }
}
