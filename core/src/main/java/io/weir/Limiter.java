package io.weir;

import io.weir.base.ExactNumbers;
import io.weir.base.Fingerprint;
import io.weir.base.KeyEncoding;
import io.weir.base.Micros;
import io.weir.engine.ReservationService;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.Store;
import io.weir.store.memory.KeyHashCache;
import io.weir.store.memory.MemoryStore;
import io.weir.store.memory.PoolFastPath;
import io.weir.time.SystemTime;
import io.weir.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A limiter by key: one limit, no rules. Every key has its own bucket in the memory of this
 * process.
 *
 * <pre>{@code
 * Limiter logins = Weir.limiter(Limit.perMinute(100).burst(200));
 * if (!logins.tryAcquire("user:42")) {
 *   System.out.println("try again later");
 * }
 * }</pre>
 *
 * <p>{@code tryAcquire} returns yes or no, {@code check} returns a {@link Decision} with the
 * details, {@code acquire} waits or throws, and {@code reserve} takes an amount that is settled
 * later. All methods are thread-safe. Keys need not be registered or removed: a key whose limit is
 * fully restored is dropped.
 *
 * <p>With a concurrency limit, {@code reserve} takes a permit and {@code release} gives it back.
 * {@code check} takes nothing then, and {@code tryAcquire} and {@code acquire} throw {@link
 * UnsupportedOperationException}.
 */
public final class Limiter {
  /** Longer than any wait, and short enough to be added to any time without overflow. */
  private static final Duration MAX_WAIT = Duration.ofDays(100_000);

  private final String name;
  private final TimeSource time;
  private final MemoryStore store;
  private final Pool pool;
  private final PoolFastPath fastPath;
  private final boolean needsHash;
  private final boolean looksOnly;
  private final KeyHashCache hashCache;
  private final ReservationService reservations;

  private Limiter(Builder builder) {
    this.name = builder.name;
    this.time = builder.time;
    this.store = builder.table.time(time).build();
    this.pool = new Pool(name, name, "1", builder.limit, false);
    this.fastPath = store.fastPath(pool);
    this.needsHash = fastPath.needsHash();
    this.hashCache = new KeyHashCache(name, needsHash);
    this.looksOnly = builder.limit.algorithm() == Algorithm.CONCURRENCY;
    this.reservations =
        new ReservationService(
            store, time, new byte[0], (rule, slot, key, tenant) -> Optional.of(pool));
  }

  /** Starts a limiter with options. */
  public static Builder builder(Limit limit) {
    return new Builder(limit);
  }

  /** Starts a limiter by key on a store that instances share, such as Redis. */
  @SuppressWarnings("exports") // an opaque handle: users pass a store on and call nothing of it
  public static SharedLimiter.On on(Store store) {
    return new SharedLimiter.On(store);
  }

  // ---- yes or no

  /** Takes 1 if the limit admits it. Allocates nothing. */
  public boolean tryAcquire(String key) {
    return tryAcquire(key, 1);
  }

  /** Takes {@code cost} if the limit admits it. Allocates nothing. */
  public boolean tryAcquire(String key, long cost) {
    Objects.requireNonNull(key, Key.MISSING);
    ExactNumbers.cost(cost);
    KeyHashCache.HashedKey known = hashCache.find(key);
    if (known != null) {
      return take(time.micros(), known.high(), known.low(), known.fixed(), cost);
    }
    if (KeyEncoding.isDigested(key)) {
      return tryAcquire(Key.of(key), cost);
    }
    long high = Fingerprint.high(key);
    long low = Fingerprint.low(key);
    long fixed = hashCache.fixed(key);
    // The time is read after the key was hashed and before its bucket is accessed; see
    // PoolFastPath.
    long now = time.micros();
    hashCache.note(key, high, low, fixed, now);
    return take(now, high, low, fixed, cost);
  }

  /** As {@link #tryAcquire(String)}, for a key that is hashed already. */
  public boolean tryAcquire(Key key) {
    return tryAcquire(key, 1);
  }

  /** As {@link #tryAcquire(String, long)}, for a key that is hashed already. */
  public boolean tryAcquire(Key key, long cost) {
    Objects.requireNonNull(key, Key.MISSING);
    ExactNumbers.cost(cost);
    long fixed = needsHash ? key.fixedHash(name) : 0;
    return take(time.micros(), key.high(), key.low(), fixed, cost);
  }

  private boolean take(long now, long high, long low, long hash, long cost) {
    refuseConcurrency();
    return fastPath.tryTake(now, high, low, hash, cost);
  }

  private void refuseConcurrency() {
    if (looksOnly) {
      throw new UnsupportedOperationException(
          "a concurrency limit is taken with reserve and given back with release");
    }
  }

  // ---- with details

  /** Takes 1 if the limit admits it. The decision has the amount left, or when to retry. */
  public Decision check(String key) {
    return check(Key.of(key), 1);
  }

  /**
   * Takes {@code cost} if the limit admits it. The decision has the amount left, or when to retry.
   */
  public Decision check(String key, long cost) {
    return check(Key.of(key), cost);
  }

  /** As {@link #check(String, long)}, for a key that is hashed already. */
  public Decision check(Key key, long cost) {
    ExactNumbers.cost(cost);
    return decide(key, cost, Draw.Intent.TAKE);
  }

  /** As {@link #check(String, long)}, without blocking. */
  public CompletionStage<Decision> checkAsync(String key, long cost) {
    return checkAsync(Key.of(key), cost);
  }

  /** As {@link #check(Key, long)}, without blocking. */
  public CompletionStage<Decision> checkAsync(Key key, long cost) {
    return CompletableFuture.completedFuture(check(key, cost));
  }

  /** The status of a key. Takes nothing. */
  public Decision look(String key) {
    return look(Key.of(key));
  }

  /** As {@link #look(String)}, for a key that is hashed already. */
  public Decision look(Key key) {
    return decide(key, 0, Draw.Intent.LOOK);
  }

  /** As {@link #look(String)}, without blocking. */
  public CompletionStage<Decision> lookAsync(String key) {
    return lookAsync(Key.of(key));
  }

  /** As {@link #look(Key)}, without blocking. */
  public CompletionStage<Decision> lookAsync(Key key) {
    return CompletableFuture.completedFuture(look(key));
  }

  private Decision decide(Key key, long cost, Draw.Intent intent) {
    List<Draw> draws = List.of(new Draw(pool, key, cost, Mode.ENFORCE, intent));
    return Decision.of(store.takeSync(draws).statuses());
  }

  // ---- waiting

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
    acquire(Key.of(key), cost, maxWait);
  }

  /** As {@link #acquire(String, long, Duration)}, for a key that is hashed already. */
  public void acquire(Key key, long cost, Duration maxWait) throws InterruptedException {
    Weir.joinInterruptibly(acquireAsync(key, cost, maxWait));
  }

  /** As {@link #acquire(String, Duration)}, without blocking: the stage fails where that throws. */
  public CompletionStage<Void> acquireAsync(String key, Duration maxWait) {
    return acquireAsync(key, 1, maxWait);
  }

  /**
   * As {@link #acquire(String, long, Duration)}, without blocking: the stage fails where that
   * throws. A stage that is cancelled while it waits takes nothing.
   */
  public CompletionStage<Void> acquireAsync(String key, long cost, Duration maxWait) {
    return acquireAsync(Key.of(key), cost, maxWait);
  }

  /** As {@link #acquireAsync(String, long, Duration)}, for a key that is hashed already. */
  public CompletionStage<Void> acquireAsync(Key key, long cost, Duration maxWait) {
    ExactNumbers.cost(cost);
    refuseConcurrency();
    long mayWait = Micros.of(maxWait.compareTo(MAX_WAIT) < 0 ? maxWait : MAX_WAIT);
    CompletableFuture<Void> acquired = new CompletableFuture<>();
    acquire(key, cost, time.micros() + mayWait, acquired);
    return acquired;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the caller waits for the future passed in
  private void acquire(Key key, long cost, long deadline, CompletableFuture<Void> acquired) {
    if (acquired.isDone()) {
      return;
    }
    long left = deadline - time.micros();
    Decision decision = decide(key, cost, Draw.Intent.TAKE);
    Optional<Duration> wait =
        decision.allowed() ? Optional.of(decision.delay()) : decision.retryAfter();
    boolean inTime = wait.isPresent() && Micros.of(wait.get()) <= left;
    if (decision.allowed() && wait.get().isZero()) {
      // Taken without a wait, so it completes even if the deadline has passed meanwhile.
      acquired.complete(null);
    } else if (inTime) {
      time.delay(wait.get())
          .thenRun(
              decision.allowed()
                  ? () -> acquired.complete(null)
                  : () -> acquire(key, cost, deadline, acquired));
    } else {
      if (decision.allowed()) {
        store.refund(pool, key, cost);
      }
      acquired.completeExceptionally(new LimitExceededException(decision));
    }
  }

  // ---- giving back

  /** Gives back an amount that was not needed, at most what was taken. */
  public void refund(String key, long amount) {
    refund(Key.of(key), amount);
  }

  /** As {@link #refund(String, long)}, for a key that is hashed already. */
  public void refund(Key key, long amount) {
    ExactNumbers.cost(amount);
    store.refund(pool, key, amount);
  }

  /**
   * Takes {@code cost}, or permits of a concurrency limit. If allowed, the decision has a
   * {@linkplain Decision#reservation reservation}, by which the call is settled or released.
   */
  public Decision reserve(String key, long cost) {
    return reserve(Key.of(key), cost);
  }

  /** As {@link #reserve(String, long)}, for a key that is hashed already. */
  public Decision reserve(Key key, long cost) {
    return reserveAsync(key, cost).toCompletableFuture().join();
  }

  /** As {@link #reserve(String, long)}, without blocking. */
  public CompletionStage<Decision> reserveAsync(String key, long cost) {
    return reserveAsync(Key.of(key), cost);
  }

  /** As {@link #reserve(Key, long)}, without blocking. */
  public CompletionStage<Decision> reserveAsync(Key key, long cost) {
    ExactNumbers.cost(cost);
    List<Draw> draws = List.of(new Draw(pool, key, cost, Mode.ENFORCE, Draw.Intent.HOLD));
    return reservations.reserve(draws, "");
  }

  /**
   * Settles a reservation at its true cost: 0 gives everything back, and a cost above the reserved
   * amount is charged as debt.
   *
   * @throws IllegalArgumentException if the cost is negative, or above both ten times the reserved
   *     amount and the limit's capacity
   */
  public SettlementResult settle(String reservation, long cost) {
    return settleAsync(reservation, cost).toCompletableFuture().join();
  }

  /** As {@link #settle}, without blocking. */
  public CompletionStage<SettlementResult> settleAsync(String reservation, long cost) {
    return reservations.settle(reservation, cost, ReservationService.MarkerLifetime.ANY_CLIENT);
  }

  /** Releases the permits of a reservation. */
  public SettlementResult release(String reservation) {
    return releaseAsync(reservation).toCompletableFuture().join();
  }

  /** As {@link #release}, without blocking. */
  public CompletionStage<SettlementResult> releaseAsync(String reservation) {
    return reservations.release(reservation);
  }

  /** Renews the permits of a reservation: their lifetime starts again. */
  public SettlementResult renew(String reservation) {
    return renewAsync(reservation).toCompletableFuture().join();
  }

  /** As {@link #renew}, without blocking. */
  public CompletionStage<SettlementResult> renewAsync(String reservation) {
    return reservations.renew(reservation);
  }

  /** The number of keys that have a bucket now. */
  public long keys() {
    return store.keys();
  }

  /** Builds a limiter. */
  public static final class Builder {
    private final Limit limit;
    private final MemoryStore.Builder table = MemoryStore.builder();
    private String name = "limiter";
    private TimeSource time = SystemTime.INSTANCE;

    private Builder(Limit limit) {
      this.limit = limit;
    }

    /** The name in decisions; {@code limiter} by default. */
    public Builder name(String name) {
      ExactNumbers.name(name);
      this.name = name;
      return this;
    }

    /**
     * The maximum number of keys with their own bucket; a million by default. Further keys share
     * buckets.
     */
    public Builder maxKeys(long maxKeys) {
      table.maxKeys(maxKeys);
      return this;
    }

    /** The approximate maximum of heap bytes for state. */
    public Builder maxBytes(long maxBytes) {
      table.maxBytes(maxBytes);
      return this;
    }

    /** Another clock, for tests. */
    public Builder time(TimeSource time) {
      this.time = time;
      return this;
    }

    public Limiter build() {
      return new Limiter(this);
    }
  }
}
