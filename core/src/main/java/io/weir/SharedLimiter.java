package io.weir;

import io.weir.base.ExactNumbers;
import io.weir.base.Micros;
import io.weir.engine.Engine;
import io.weir.engine.EngineBuilder;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.ForwardingStore;
import io.weir.store.Store;
import io.weir.store.memory.MemoryStore;
import io.weir.time.SystemTime;
import io.weir.time.TimeSource;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A limiter by key on a store that instances share, such as Redis. Its methods are those of {@link
 * Limiter}.
 *
 * <pre>{@code
 * SharedLimiter logins = Limiter.on(store).limit(Limit.perMinute(100)).build();
 * if (!logins.tryAcquire("user:42")) {
 *   System.out.println("try again later");
 * }
 * }</pre>
 *
 * <p>Limiters of the same name on the same store share their buckets. While the store is
 * unavailable, the limiter decides by its {@link OnFail}. Plain verbs block while the store
 * answers; their {@code …Async} forms return a stage.
 *
 * <p>{@link #close} gives back tokens that were leased in advance. It does not close the store.
 */
public final class SharedLimiter implements AutoCloseable {
  private static final String KEY = "key";
  private static final Call CALL = Call.of("GET", "/");
  private static final Duration MAX_WAIT = Duration.ofDays(100_000);

  private final Engine engine;
  private final TimeSource time;
  private final Algorithm algorithm;

  private SharedLimiter(Builder builder) {
    Rule rule =
        Rule.named(builder.name).key(KEY).limit(builder.limit).onFail(builder.onFail).build();
    this.time = builder.time;
    this.algorithm = builder.limit.algorithm();
    this.engine = builder.engine.rules(RuleSet.of(rule)).time(time).build();
  }

  private static Call call(String key, long cost) {
    ExactNumbers.cost(cost);
    return CALL.with(KEY, key).cost(cost);
  }

  /** Takes 1 if the limit admits it without a delay. */
  public boolean tryAcquire(String key) {
    return tryAcquire(key, 1);
  }

  /** Takes {@code cost} if the limit admits it without a delay. */
  public boolean tryAcquire(String key, long cost) {
    refuseConcurrency();
    return Weir.join(engine.checkUndelayedAsync(call(key, cost))).allowed();
  }

  /** Takes 1 if the limit admits it. The decision has the amount left, or when to retry. */
  public Decision check(String key) {
    return check(key, 1);
  }

  /**
   * Takes {@code cost} if the limit admits it. The decision has the amount left, or when to retry.
   */
  public Decision check(String key, long cost) {
    return engine.check(call(key, cost));
  }

  /** As {@link #check(String, long)}, without blocking. */
  public CompletionStage<Decision> checkAsync(String key, long cost) {
    return engine.checkAsync(call(key, cost));
  }

  /** The status of a key. Takes nothing. */
  public Decision look(String key) {
    return Weir.join(lookAsync(key));
  }

  /** As {@link #look}, without blocking. */
  public CompletionStage<Decision> lookAsync(String key) {
    return engine.lookAsync(call(key, 0));
  }

  /**
   * Takes 1, and waits up to {@code maxWait} until the limit admits it.
   *
   * @throws LimitExceededException at once if the wait would be longer than {@code maxWait}
   */
  public void acquire(String key, Duration maxWait) throws InterruptedException {
    acquire(key, 1, maxWait);
  }

  /**
   * Takes {@code cost}, and waits up to {@code maxWait} until the limit admits it.
   *
   * @throws LimitExceededException at once if the wait would be longer than {@code maxWait}
   */
  public void acquire(String key, long cost, Duration maxWait) throws InterruptedException {
    Weir.joinInterruptibly(acquireAsync(key, cost, maxWait));
  }

  /** As {@link #acquire(String, Duration)}, without blocking: the stage fails where that throws. */
  public CompletionStage<Void> acquireAsync(String key, Duration maxWait) {
    return acquireAsync(key, 1, maxWait);
  }

  /**
   * As {@link #acquire(String, long, Duration)}, without blocking: the stage fails where that
   * throws. A stage that is cancelled while it waits takes nothing. If it is cancelled while the
   * store decides, the store may still take the cost.
   */
  public CompletionStage<Void> acquireAsync(String key, long cost, Duration maxWait) {
    refuseConcurrency();
    Duration wait = maxWait.compareTo(MAX_WAIT) < 0 ? maxWait : MAX_WAIT;
    CompletableFuture<Void> acquired = new CompletableFuture<>();
    acquire(call(key, cost), time.micros() + Micros.of(wait), acquired);
    return acquired;
  }

  private void refuseConcurrency() {
    if (algorithm == Algorithm.CONCURRENCY) {
      throw new UnsupportedOperationException(
          "a concurrency limit is taken with reserve and given back with release");
    }
  }

  /**
   * Only a leaky bucket can admit a call with a delay beyond the deadline. Such a call is given
   * back, so it is reserved.
   */
  private CompletionStage<Decision> take(Call call) {
    return algorithm == Algorithm.LEAKY_BUCKET
        ? engine.reserveAsync(call)
        : engine.checkAsync(call);
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the caller waits for the future passed in
  private void acquire(Call call, long deadline, CompletableFuture<Void> acquired) {
    take(call)
        .thenAccept(decision -> onDecision(call, deadline, decision, acquired))
        .exceptionally(problem -> fail(acquired, problem));
  }

  private static @Nullable Void fail(CompletableFuture<Void> acquired, Throwable problem) {
    boolean wrapped = problem instanceof CompletionException && problem.getCause() != null;
    acquired.completeExceptionally(wrapped ? problem.getCause() : problem);
    return null;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the caller waits for the future passed in
  private void onDecision(
      Call call, long deadline, Decision decision, CompletableFuture<Void> acquired) {
    boolean taken = decision.allowed();
    Optional<Duration> wait = taken ? Optional.of(decision.delay()) : decision.retryAfter();
    boolean inTime = wait.isPresent() && Micros.of(wait.get()) <= deadline - time.micros();
    if (taken && decision.delay().isZero()) {
      if (!acquired.complete(null)) {
        giveBack(decision);
      }
    } else if (inTime) {
      if (taken) {
        acquired.whenComplete((done, problem) -> giveBackIfCancelled(decision, acquired));
      }
      time.delay(wait.get())
          .thenRun(() -> onWaited(call, deadline, taken, acquired))
          .exceptionally(problem -> fail(acquired, problem));
    } else {
      giveBack(decision);
      acquired.completeExceptionally(new LimitExceededException(decision));
    }
  }

  private void onWaited(Call call, long deadline, boolean taken, CompletableFuture<Void> acquired) {
    if (taken) {
      acquired.complete(null);
    } else if (!acquired.isDone()) {
      acquire(call, deadline, acquired);
    }
  }

  private void giveBackIfCancelled(Decision decision, CompletableFuture<Void> acquired) {
    if (acquired.isCancelled()) {
      giveBack(decision);
    }
  }

  /** Gives back what was reserved, if anything was. */
  private void giveBack(Decision decision) {
    decision.reservation().ifPresent(made -> engine.settleOnceAsync(made, 0));
  }

  /**
   * Takes {@code cost}, or permits of a concurrency limit. If allowed, the decision has a
   * {@linkplain Decision#reservation reservation}, by which the call is settled or released.
   */
  public Decision reserve(String key, long cost) {
    return Weir.join(reserveAsync(key, cost));
  }

  /** As {@link #reserve}, without blocking. */
  public CompletionStage<Decision> reserveAsync(String key, long cost) {
    return engine.reserveAsync(call(key, cost));
  }

  /** Settles a reservation at its true cost; see {@link Weir#settle(String, long)}. */
  public SettlementResult settle(String reservation, long cost) {
    return Weir.join(settleAsync(reservation, cost));
  }

  /** As {@link #settle}, without blocking. */
  public CompletionStage<SettlementResult> settleAsync(String reservation, long cost) {
    return engine.settleAsync(reservation, cost);
  }

  /** Releases the permits of a reservation. */
  public SettlementResult release(String reservation) {
    return Weir.join(releaseAsync(reservation));
  }

  /** As {@link #release}, without blocking. */
  public CompletionStage<SettlementResult> releaseAsync(String reservation) {
    return engine.releaseAsync(reservation);
  }

  /** Renews the permits of a reservation: their lifetime starts again. */
  public SettlementResult renew(String reservation) {
    return Weir.join(renewAsync(reservation));
  }

  /** As {@link #renew}, without blocking. */
  public CompletionStage<SettlementResult> renewAsync(String reservation) {
    return engine.renewAsync(reservation);
  }

  @Override
  public void close() {
    engine.close();
  }

  /** A store that this limiter does not close. */
  private static final class Borrowed extends ForwardingStore {
    Borrowed(Store store) {
      super(store);
    }

    @Override
    public void close() {}
  }

  /** The first step to a limiter on a store: its limit. */
  public static final class On {
    private final Store store;

    On(Store store) {
      this.store = store;
    }

    /** The limit of every key. */
    public Builder limit(Limit limit) {
      return new Builder(store, limit);
    }
  }

  /** Builds a limiter on a store. */
  public static final class Builder {
    private final EngineBuilder engine = Engine.builder();
    private final Limit limit;
    private String name = "limiter";
    private OnFail onFail = OnFail.LOCAL;
    private TimeSource time = SystemTime.INSTANCE;

    private Builder(Store store, Limit limit) {
      engine.store(store instanceof MemoryStore ? store : new Borrowed(store));
      this.limit = limit;
    }

    /** The name in decisions and in the store; {@code limiter} by default. */
    public Builder name(String name) {
      ExactNumbers.name(name);
      this.name = name;
      return this;
    }

    /** The decision while the store is unavailable; by this instance's share by default. */
    public Builder onFail(OnFail onFail) {
      this.onFail = onFail;
      return this;
    }

    /** Another clock, for tests. */
    public Builder time(TimeSource time) {
      this.time = time;
      return this;
    }

    public SharedLimiter build() {
      return new SharedLimiter(this);
    }
  }
}
