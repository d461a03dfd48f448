package io.weir;

import io.weir.rule.BypassIndex;
import io.weir.rule.RuleIndex;
import io.weir.rule.RuleSet;
import io.weir.store.Draw;
import io.weir.store.MemoryStore;
import io.weir.store.Pool;
import io.weir.store.Store;
import io.weir.store.Taking;
import io.weir.tier.Newcomers;
import io.weir.tier.ScopedStore;
import io.weir.tier.Tier;
import io.weir.tier.Witness;
import io.weir.time.SystemTime;
import io.weir.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
  private final @Nullable Tier tier;
  private final @Nullable Newcomers newcomers;
  private final @Nullable Witness witness;
  private final Store store;
  private final TimeSource time;
  private final Shards shards;
  private final ReservationDesk desk;
  private final @Nullable DecisionListener listener;
  private volatile Rules rules;

  /** What is swapped when rules change. */
  private record Rules(RuleIndex index, BypassIndex bypasses, LaterRules later) {
    static Rules of(RuleSet set) {
      return new Rules(RuleIndex.of(set), new BypassIndex(set.bypasses()), LaterRules.of(set));
    }
  }

  private Weir(Builder builder) {
    this.time = builder.time;
    this.local = localOf(builder);
    this.listener = builder.listener;
    Store shared = builder.store;
    this.tier =
        shared == null || shared == local
            ? null
            : Tier.before(shared, local, time, builder.instances, this::unexpected);
    Store unwatched = tier == null ? local : new ScopedStore(local, tier);
    this.newcomers = tier == null ? null : new Newcomers(builder.newKeysPerAddress, time);
    this.witness = builder.witnessed ? new Witness(unwatched, time, builder.instances) : null;
    this.store = witness == null ? unwatched : witness;
    this.rules = Rules.of(builder.rules);
    this.shards = Shards.in(store);
    this.desk =
        new ReservationDesk(
            store,
            time,
            builder.secret,
            (rule, slot, tenant) -> rules.index().pool(rule, slot, tenant, time.wallMicros()));
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

  /** The rules that hold now. */
  public RuleSet rules() {
    return rules.index().rules();
  }

  /**
   * Swaps the rules, whole; calls under way finish under the old ones. Leases under the old ones go
   * back.
   */
  public void rules(RuleSet next) {
    rules = Rules.of(next);
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
  public Optional<Tier> tier() {
    return Optional.ofNullable(tier);
  }

  /** Who counts again what passes, if that was asked for. */
  public Optional<Witness> witness() {
    return Optional.ofNullable(witness);
  }

  /** Who caps the keys that an address brings to a shared store; empty where there is none. */
  public Optional<Newcomers> newcomers() {
    return Optional.ofNullable(newcomers);
  }

  /** Where all state lives; for front ends that draw by rules in a form of their own. */
  public Store store() {
    return store;
  }

  /**
   * Decides a call, and takes its cost if it may pass.
   *
   * @throws IllegalArgumentException if an attribute that a rule takes as cost is no whole number
   */
  public Decision check(Call call) {
    Rules now = rules;
    Decision bypassed = bypass(now, call, Draw.Intent.TAKE_NOW);
    if (bypassed != null) {
      return heard(call, bypassed);
    }
    RuleIndex.Drawing drawing = plan(now, call, Draw.Intent.TAKE);
    if (settledOutright(drawing)) {
      return heard(call, outright(drawing));
    }
    Taking taking =
        store == local && !now.index().hasShards()
            ? takeHere(drawing.draws())
            : take(now, drawing.draws()).toCompletableFuture().join();
    return heard(call, Decision.of(taking.standings()));
  }

  private Taking takeHere(List<Draw> draws) {
    try {
      return local.takeNow(draws);
    } catch (RuntimeException e) {
      return failed(draws, e);
    }
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
    Rules now = rules;
    Decision bypassed = bypass(now, call, Draw.Intent.TAKE_NOW);
    if (bypassed != null) {
      return CompletableFuture.completedFuture(heard(call, bypassed));
    }
    RuleIndex.Drawing drawing = plan(now, call, intent);
    if (settledOutright(drawing)) {
      return CompletableFuture.completedFuture(heard(call, outright(drawing)));
    }
    return take(now, drawing.draws())
        .thenApply(taking -> heard(call, Decision.of(taking.standings())));
  }

  /** Takes what a call draws, from shards where limits are split. */
  private CompletionStage<Taking> take(Rules now, List<Draw> draws) {
    try {
      CompletableFuture<Taking> taking =
          (now.index().hasShards()
                  ? shards.take(draws).thenApply(Tried::taking)
                  : store.take(draws))
              .toCompletableFuture();
      return taking.isDone() && !taking.isCompletedExceptionally()
          ? taking
          : taking.exceptionally(problem -> failed(draws, problem));
    } catch (RuntimeException e) {
      return CompletableFuture.completedFuture(failed(draws, e));
    }
  }

  /** An error that should not be: rules decide by their {@link OnFail}. */
  private Taking failed(List<Draw> draws, Throwable problem) {
    if (tier != null) {
      return tier.failed(draws, problem);
    }
    unexpected(problem);
    return Tier.lastResort(draws);
  }

  /**
   * Decides several calls as one, none of which can wait: all of them pass and take their cost, or
   * none.
   *
   * @return a decision per call, in order; the calls may pass if all of them are allowed
   */
  public CompletionStage<List<Decision>> checkTogether(List<Call> calls) {
    Rules now = rules;
    Together together = new Together();
    calls.forEach(call -> add(together, now, call));
    List<Draw> draws = together.draws();
    return draws.isEmpty()
        ? CompletableFuture.completedFuture(heard(calls, together.decisions(List.of())))
        : take(now, draws)
            .thenApply(taking -> heard(calls, together.decisions(taking.standings())));
  }

  private void add(Together together, Rules now, Call call) {
    Decision bypassed = bypass(now, call, Draw.Intent.TAKE_NOW);
    if (bypassed != null) {
      together.add(bypassed);
      return;
    }
    RuleIndex.Drawing drawing = plan(now, call, Draw.Intent.TAKE_NOW);
    if (settledOutright(drawing)) {
      together.add(outright(drawing));
    } else {
      together.add(drawing);
    }
  }

  /** Of calls that are refused together, those that were not refused themselves are no news. */
  private List<Decision> heard(List<Call> calls, List<Decision> decisions) {
    boolean passed = decisions.stream().allMatch(Decision::allowed);
    for (int i = 0; i < calls.size(); i++) {
      if (passed || !decisions.get(i).allowed()) {
        heard(calls.get(i), decisions.get(i));
      }
    }
    return decisions;
  }

  private RuleIndex.Drawing plan(Rules now, Call call, Draw.Intent intent) {
    long wall = now.index().needsWallClock() ? time.wallMicros() : 0;
    RuleIndex.Drawing drawing = now.index().plan(call, wall, intent);
    String address = newcomers == null ? null : call.attribute("ip");
    return address == null ? drawing : drawing.with(newcomers.within(address, drawing.draws()));
  }

  private static boolean settledOutright(RuleIndex.Drawing drawing) {
    return drawing.deniedBy() != null || drawing.draws().isEmpty();
  }

  private static Decision outright(RuleIndex.Drawing drawing) {
    return drawing.deniedBy() == null
        ? Decision.unlimited()
        : Decision.outright(Reason.BLOCKED, drawing.deniedBy());
  }

  /**
   * The decision by a bypass token; null if there is none, or it is beyond its own limit and the
   * rules apply.
   */
  private @Nullable Decision bypass(Rules now, Call call, Draw.Intent intent) {
    String token = now.bypasses().isEmpty() ? null : call.attribute("bypass");
    if (token == null) {
      return null;
    }
    Optional<BypassIndex.Use> use = now.bypasses().use(token, call, time.wallMicros(), intent);
    return use.isPresent() && local.tryTake(use.get().draw())
        ? Decision.outright(Reason.BYPASSED, use.get().id())
        : null;
  }

  private Decision heard(Call call, Decision decision) {
    if (listener != null) {
      try {
        listener.decided(call, decision);
      } catch (RuntimeException e) {
        unexpected(e); // whoever listens does not decide
      }
    }
    return decision;
  }

  private void unexpected(Throwable error) {
    if (listener != null) {
      listener.unexpected(error);
    } else if (Complaints.LOGGED.tryAcquire("")) {
      Complaints.LOG.error("the store failed; rules decide by their on_fail", error);
    }
  }

  /** A flood of errors must not become a flood of log lines. */
  private static final class Complaints {
    static final Logger LOG = LoggerFactory.getLogger(Weir.class);
    static final Limiter LOGGED = limiter(Limit.perMinute(20));
  }

  // ---- reserving

  /** Takes a call's cost, permits too, to be settled or released by the decision's reservation. */
  public CompletionStage<Decision> reserve(Call call) {
    Rules now = rules;
    Decision bypassed = bypass(now, call, Draw.Intent.TAKE_NOW);
    if (bypassed != null) {
      return desk.reserve(List.of(), "")
          .thenApply(empty -> heard(call, bypassed.reserved(empty.reservation().orElseThrow())));
    }
    RuleIndex.Drawing drawing = plan(now, call, Draw.Intent.HOLD);
    if (drawing.deniedBy() != null) {
      return CompletableFuture.completedFuture(heard(call, outright(drawing)));
    }
    return desk.reserve(drawing.draws(), tenantOf(call)).thenApply(made -> heard(call, made));
  }

  private static String tenantOf(Call call) {
    String tenant = call.attribute("tenant");
    return tenant == null ? "" : tenant;
  }

  /**
   * As {@link #checkAsync}, for front ends that know when a call ends: takes permits too. The
   * decision carries a reservation only if something is to be put right later, which is permits to
   * release or a cost that the response tells.
   */
  public CompletionStage<Decision> enter(Call call) {
    Rules now = rules;
    if (!now.later().any()) {
      return decide(call, Draw.Intent.TAKE);
    }
    Decision bypassed = bypass(now, call, Draw.Intent.TAKE_NOW);
    if (bypassed != null) {
      return CompletableFuture.completedFuture(heard(call, bypassed));
    }
    RuleIndex.Drawing drawing = plan(now, call, Draw.Intent.HOLD);
    if (settledOutright(drawing)) {
      return CompletableFuture.completedFuture(heard(call, outright(drawing)));
    }
    return now.later().anyOf(drawing.draws())
        ? desk.reserve(drawing.draws(), tenantOf(call)).thenApply(made -> heard(call, made))
        : take(now, drawing.draws())
            .thenApply(taking -> heard(call, Decision.of(taking.standings())));
  }

  /**
   * Puts a reservation right at its true cost: 0 gives all back, more than was reserved goes into
   * debt.
   *
   * @throws IllegalArgumentException if the cost is negative or above {@link Call#MAX_COST}
   */
  public CompletionStage<Settlement> settle(String reservation, long cost) {
    return desk.settle(reservation, cost);
  }

  /**
   * Puts a reservation right for the rules whose true cost has become known, by their ids; the
   * others keep what they took.
   *
   * @throws IllegalArgumentException if a cost is negative or above {@link Call#MAX_COST}
   */
  public CompletionStage<Settlement> settle(String reservation, Map<String, Long> costs) {
    return desk.settle(reservation, costs);
  }

  /** Gives back the permits of a reservation. */
  public CompletionStage<Settlement> release(String reservation) {
    return desk.release(reservation);
  }

  /** Gives the permits of a reservation their full life again. */
  public CompletionStage<Settlement> renew(String reservation) {
    return desk.renew(reservation);
  }

  // ---- looking

  /** How the limits on a call stand; takes nothing, and is no decision to anybody who listens. */
  public CompletionStage<Decision> look(Call call) {
    Rules now = rules;
    Decision bypassed = bypass(now, call, Draw.Intent.LOOK);
    if (bypassed != null) {
      return CompletableFuture.completedFuture(bypassed);
    }
    RuleIndex.Drawing drawing = plan(now, call, Draw.Intent.LOOK);
    return settledOutright(drawing)
        ? CompletableFuture.completedFuture(outright(drawing))
        : take(now, drawing.draws()).thenApply(taking -> Decision.of(taking.standings()));
  }

  /** How a call would be decided and why, with the arithmetic; takes nothing. */
  public CompletionStage<Explanation> explain(Call call) {
    Rules now = rules;
    List<RuleIndex.Note> notes = now.index().explain(call);
    Decision bypassed = bypass(now, call, Draw.Intent.LOOK);
    if (bypassed != null) {
      return CompletableFuture.completedFuture(
          new Explanation(call.normalPath(), notes, List.of(), bypassed));
    }
    RuleIndex.Drawing drawing = plan(now, call, Draw.Intent.LOOK);
    if (settledOutright(drawing)) {
      return CompletableFuture.completedFuture(
          new Explanation(call.normalPath(), notes, List.of(), outright(drawing)));
    }
    return shards
        .take(drawing.draws())
        .thenCompose(
            tried ->
                store
                    .describe(tried.draws())
                    .thenApply(
                        texts ->
                            new Explanation(
                                call.normalPath(),
                                notes,
                                asked(tried, texts),
                                Decision.of(tried.taking().standings()))));
  }

  private static List<Explanation.Asked> asked(Tried tried, List<String> texts) {
    List<Explanation.Asked> asked = new ArrayList<>();
    List<Standing> standings = tried.taking().standings();
    for (int i = 0; i < standings.size(); i++) {
      Draw draw = tried.draws().get(i);
      Pool pool = draw.pool();
      String text = pool.isSplit() ? "shard " + pool.shard() + ": " + texts.get(i) : texts.get(i);
      asked.add(
          new Explanation.Asked(standings.get(i), draw.key().toString(), draw.amount(), text));
    }
    return asked;
  }

  /** Closes the store, also one that was given. */
  @Override
  public void close() {
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
    private int newKeysPerAddress = Newcomers.DEFAULT_MOST;

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

    /** Has a few keys of each rule counted again beside the store; see {@link Witness}. */
    public Builder witnessed() {
      this.witnessed = true;
      return this;
    }

    /**
     * How many keys that are new to this instance an address may bring to a rule in a minute, where
     * there is a store elsewhere; see {@link Newcomers}.
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
