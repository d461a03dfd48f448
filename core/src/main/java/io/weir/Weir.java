package io.weir;

import io.weir.engine.Engine;
import io.weir.engine.EngineBuilder;
import io.weir.rule.RuleSet;
import io.weir.store.Store;
import io.weir.time.TimeSource;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.IntSupplier;

/**
 * A rate limiter with rules: the entry point of Weir.
 *
 * <pre>{@code
 * Weir weir = Weir.builder().rules(rules).build();
 * Decision decision = weir.check(Call.of("POST", "/payments").with("user", "42"));
 * if (!decision.allowed()) {
 *   System.out.println("retry in " + decision.retryAfter());
 * }
 * }</pre>
 *
 * <p>A call takes its cost from the buckets of all rules that match it, or from none of them.
 * {@link #replaceRules} swaps the rules at any time; buckets keep their state.
 *
 * <p>Methods are synchronous: they block until a shared store has answered. Their {@code …Async}
 * forms return a stage and do not block. All methods are thread-safe.
 *
 * <p>For one limit by key, without rules, see {@link #limiter}.
 */
public final class Weir implements AutoCloseable {
  private final Engine engine;

  private Weir(Engine engine) {
    this.engine = engine;
  }

  /** Starts a limiter. By default it has no rules and keeps its state in this process. */
  public static Builder builder() {
    return new Builder();
  }

  /** A limiter by key in this process: one limit, no rules. */
  public static Limiter limiter(Limit limit) {
    return Limiter.builder(limit).build();
  }

  /** The rules in force. */
  public RuleSet rules() {
    return engine.rules();
  }

  /**
   * Replaces all rules. Calls in flight finish under the old ones, whose leases are given back.
   * Buckets of limits that are in both sets keep their state.
   */
  public void replaceRules(RuleSet next) {
    engine.replaceRules(next);
  }

  // ---- deciding

  /**
   * Decides a call, and takes its cost if it is allowed.
   *
   * @throws IllegalArgumentException if an attribute that a rule takes as cost is not a whole
   *     number
   */
  public Decision check(Call call) {
    return engine.check(call);
  }

  /** As {@link #check}, without blocking. */
  public CompletionStage<Decision> checkAsync(Call call) {
    return engine.checkAsync(call);
  }

  /** The status of the limits on a call. Takes nothing and does not notify the listener. */
  public Decision look(Call call) {
    return join(engine.lookAsync(call));
  }

  /** As {@link #look}, without blocking. */
  public CompletionStage<Decision> lookAsync(Call call) {
    return engine.lookAsync(call);
  }

  /** The decision that a call would get and why, with the arithmetic. Takes nothing. */
  public Explanation explain(Call call) {
    return join(engine.explainAsync(call));
  }

  /** As {@link #explain}, without blocking. */
  public CompletionStage<Explanation> explainAsync(Call call) {
    return engine.explainAsync(call);
  }

  // ---- reserving

  /**
   * Takes the cost of a call, and permits of concurrency limits. If allowed, the decision has a
   * {@linkplain Decision#reservation reservation}, by which the call is settled or released.
   */
  public Decision reserve(Call call) {
    return join(engine.reserveAsync(call));
  }

  /** As {@link #reserve}, without blocking. */
  public CompletionStage<Decision> reserveAsync(Call call) {
    return engine.reserveAsync(call);
  }

  /**
   * Settles a reservation at its true cost: 0 gives everything back, and a cost above the reserved
   * amount is charged as debt. Every limit is charged at most ten times the reserved amount or its
   * capacity, whichever is larger.
   *
   * @throws IllegalArgumentException if the cost is negative, or more than any of the limits may be
   *     charged
   */
  public SettlementResult settle(String reservation, long cost) {
    return join(engine.settleAsync(reservation, cost));
  }

  /** As {@link #settle(String, long)}, without blocking. */
  public CompletionStage<SettlementResult> settleAsync(String reservation, long cost) {
    return engine.settleAsync(reservation, cost);
  }

  /**
   * Settles a reservation for the rules whose true cost is known, by rule id. For other rules the
   * amount taken stays as it is.
   *
   * @throws IllegalArgumentException if a cost is negative, or more than any limit of the rule may
   *     be charged; see {@link #settle(String, long)}
   */
  public SettlementResult settle(String reservation, Map<String, Long> costs) {
    return join(engine.settleAsync(reservation, costs));
  }

  /** As {@link #settle(String, Map)}, without blocking. */
  public CompletionStage<SettlementResult> settleAsync(
      String reservation, Map<String, Long> costs) {
    return engine.settleAsync(reservation, costs);
  }

  /** Releases the permits of a reservation. */
  public SettlementResult release(String reservation) {
    return join(engine.releaseAsync(reservation));
  }

  /** As {@link #release}, without blocking. */
  public CompletionStage<SettlementResult> releaseAsync(String reservation) {
    return engine.releaseAsync(reservation);
  }

  /** Renews the permits of a reservation: their lifetime starts again. */
  public SettlementResult renew(String reservation) {
    return join(engine.renewAsync(reservation));
  }

  /** As {@link #renew}, without blocking. */
  public CompletionStage<SettlementResult> renewAsync(String reservation) {
    return engine.renewAsync(reservation);
  }

  /** Waits for a stage. If it failed, throws its own exception, not a wrapper. */
  static <T> T join(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException known ? known : e;
    }
  }

  /** As {@link #join}. If the thread is interrupted, the stage is cancelled. */
  static <T> T joinInterruptibly(CompletionStage<T> stage) throws InterruptedException {
    CompletableFuture<T> future = stage.toCompletableFuture();
    try {
      return future.get();
    } catch (InterruptedException e) {
      future.cancel(false);
      throw e;
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException known
          ? known
          : new CompletionException(e.getCause());
    }
  }

  /**
   * Closes the store, also one that was passed to the builder. Calls in flight complete. A new call
   * throws {@link IllegalStateException}, except that reservations can be settled, released and
   * renewed as long as the store allows.
   */
  @Override
  public void close() {
    engine.close();
  }

  /** Builds a {@link Weir}. */
  public static final class Builder {
    private final EngineBuilder engine = Engine.builder();

    private Builder() {}

    /** The initial rules; none by default. */
    public Builder rules(RuleSet rules) {
      engine.rules(rules);
      return this;
    }

    /**
     * The store for all state; the memory of this process by default. Rules with scope instance
     * always stay in this process. While the store is unavailable, each rule decides by its {@link
     * OnFail}.
     */
    @SuppressWarnings("exports") // an opaque handle: users pass a store on and call nothing of it
    public Builder store(Store store) {
      engine.store(store);
      return this;
    }

    /** Another clock, for tests and simulations. */
    public Builder time(TimeSource time) {
      engine.time(time);
      return this;
    }

    /**
     * The secret that signs reservations. Instances that settle each other's reservations share it.
     * Random by default.
     */
    public Builder reservationSecret(byte[] secret) {
      engine.reservationSecret(secret);
      return this;
    }

    /**
     * The number of instances that share the store, instead of the store's own count. While the
     * store is unavailable, each instance applies limits divided by this number.
     */
    public Builder instances(IntSupplier instances) {
      engine.instances(instances);
      return this;
    }

    /** A listener that is notified of every decision. */
    public Builder listener(DecisionListener listener) {
      engine.listener(listener);
      return this;
    }

    /**
     * How many new keys a client address may use per rule and minute, so that it cannot fill the
     * store; 10,000 by default.
     */
    public Builder newKeysPerAddress(int most) {
      engine.newKeysPerAddress(most);
      return this;
    }

    public Weir build() {
      return new Weir(engine.build());
    }
  }
}
