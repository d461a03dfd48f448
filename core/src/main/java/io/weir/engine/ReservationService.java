package io.weir.engine;

import io.weir.Decision;
import io.weir.Key;
import io.weir.SettlementResult;
import io.weir.base.ExactNumbers;
import io.weir.base.Micros;
import io.weir.limit.TakeReceipt;
import io.weir.rule.Cost;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.SettlementTerms;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import io.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.ToLongFunction;

/** Makes reservations, settles them at the true cost, and releases and renews their permits. */
public final class ReservationService {
  /** A reservation older than this is not settled any more: the amount taken stays taken. */
  static final Duration SETTLE_WITHIN = Duration.ofMinutes(10);

  /** How long a settlement may be in flight or be retried. */
  private static final Duration RETRY_WINDOW = Duration.ofSeconds(10);

  /** The key for all rules of a reservation; no rule has this id. */
  private static final String EVERY_RULE = "";

  private static final long UNCHARGED = -1;

  /**
   * How long the settled marker is kept, which depends on the possible settlers. The maximum age of
   * a reservation is the same for all. It is measured on the store's clock, as the clock of an
   * instance may have been changed since.
   */
  public enum MarkerLifetime {
    /**
     * Any client that has the reservation's text may settle, any number of times: 10 minutes. A
     * cost above the cap is refused.
     */
    ANY_CLIENT(SETTLE_WITHIN),
    /**
     * Only this process can settle, and does so once: 10 seconds. A cost above the cap is charged
     * as the cap.
     */
    THIS_PROCESS(RETRY_WINDOW);

    private final SettlementTerms terms;

    MarkerLifetime(Duration marked) {
      this.terms = new SettlementTerms(SETTLE_WITHIN, marked);
    }
  }

  /** Finds the current pool of a part of an earlier reservation. */
  public interface PoolFinder {
    /**
     * The pool in force for a key.
     *
     * @param tenant the tenant whose plan has the limit; empty if plans do not matter
     */
    Optional<Pool> find(String rule, String slot, Key key, String tenant);
  }

  /** Decides draws on which the store failed unexpectedly. */
  public interface FailureHandler {
    TakeResult decide(long reservation, List<Draw> draws, Throwable problem);
  }

  private final Store store;
  private final ShardedExecutor shards;
  private final TimeSource time;
  private final ReservationCodec codec;
  private final PoolFinder pools;
  private final FailureHandler onFailure;
  private final SettlementCap cap;

  /** A service that throws unexpected errors of the store to its caller. */
  public ReservationService(Store store, TimeSource time, byte[] secret, PoolFinder pools) {
    this(
        store,
        time,
        secret,
        pools,
        (reservation, draws, problem) -> {
          throw problem instanceof RuntimeException known
              ? known
              : new CompletionException(problem);
        });
  }

  public ReservationService(
      Store store, TimeSource time, byte[] secret, PoolFinder pools, FailureHandler failing) {
    this.store = store;
    this.shards = ShardedExecutor.in(store, time);
    this.time = time;
    this.codec = new ReservationCodec(secret);
    this.pools = pools;
    this.onFailure = failing;
    this.cap = new SettlementCap(time);
  }

  /** Takes the draws. If allowed, the decision has a reservation. */
  public CompletionStage<Decision> reserve(List<Draw> draws, String tenant) {
    CompletionStage<ShardAttempt> made;
    try {
      made = shards.reserve(draws);
    } catch (RuntimeException | Error e) {
      return CompletableFuture.completedFuture(decision(failed(draws, e), tenant));
    }
    return made.handle(
        (attempt, problem) -> decision(problem == null ? attempt : failed(draws, problem), tenant));
  }

  private ShardAttempt failed(List<Draw> draws, Throwable problem) {
    long id = shards.newId();
    return new ShardAttempt(id, draws, onFailure.decide(id, draws, problem));
  }

  private Decision decision(ShardAttempt attempt, String tenant) {
    Decision decision = Decision.of(attempt.result().statuses());
    return attempt.result().taken()
        ? decision.withReservation(codec.encode(Reservation.of(attempt, time.wallMicros(), tenant)))
        : decision;
  }

  /**
   * Settles a reservation at the call's true cost. A cost of 0 gives everything back, permits
   * included.
   */
  public CompletionStage<SettlementResult> settle(String text, long cost, MarkerLifetime settler) {
    ExactNumbers.cost(cost);
    SettlementRequest settling =
        new SettlementRequest(
            part -> Cost.times(cost, part.unit()), Map.of(EVERY_RULE, cost), settler);
    return settle(text, settling, cost == 0);
  }

  /**
   * Settles the parts of some rules, each at its own cost. The parts of other rules stay as taken.
   */
  public CompletionStage<SettlementResult> settle(
      String text, Map<String, Long> costs, MarkerLifetime settler) {
    costs.values().forEach(ExactNumbers::cost);
    return settle(
        text,
        new SettlementRequest(
            part -> costs.getOrDefault(part.rule(), part.amount()), costs, settler),
        false);
  }

  /**
   * A request to settle a reservation.
   *
   * @param owed the true cost of a part
   * @param costs the costs as requested: by rule, or for {@link #EVERY_RULE}
   */
  private record SettlementRequest(
      ToLongFunction<Reservation.BucketPart> owed,
      Map<String, Long> costs,
      MarkerLifetime settler) {}

  private CompletionStage<SettlementResult> settle(
      String text, SettlementRequest settling, boolean andRelease) {
    Optional<Reservation> opened = codec.decode(text);
    if (opened.isEmpty()) {
      return CompletableFuture.completedFuture(SettlementResult.UNKNOWN);
    }
    Reservation reservation = opened.get();
    if (settling.settler == MarkerLifetime.ANY_CLIENT) {
      settling.costs.forEach((rule, cost) -> requireWithinCap(reservation, rule, cost));
    }
    List<ReservedPart> parts =
        liveParts(reservation, settling.owed).stream().map(cap::clamp).toList();
    if (hasNoKnownAge(parts) && isLate(reservation)) {
      return CompletableFuture.completedFuture(SettlementResult.ALREADY);
    }
    CompletionStage<SettlementResult> settled =
        store.settle(reservation.id(), parts, settling.settler.terms);
    return andRelease
        ? settled.thenCompose(came -> releaseAfterRetry(reservation, parts, came))
        : settled;
  }

  /**
   * Rejects a cost above the cap of every limit. If only some limits have a lower cap, the cost is
   * settled, and those limits are charged their cap.
   */
  private void requireWithinCap(Reservation reservation, String rule, long cost) {
    boolean every = rule.equals(EVERY_RULE);
    long most = UNCHARGED;
    for (Reservation.BucketPart part : reservation.parts()) {
      long unit = every ? part.unit() : 1;
      long owed = every || rule.equals(part.rule()) ? mostOf(part) : UNCHARGED;
      if (unit > 0 && owed != UNCHARGED) {
        most = Math.max(most, owed / unit);
      }
    }
    if (most != UNCHARGED && cost > most) {
      throw new IllegalArgumentException(
          "cost "
              + cost
              + " is above "
              + most
              + ", the most that this reservation can be settled at: "
              + SettlementCap.FACTOR
              + " times what was reserved, or the capacity of the limit");
    }
  }

  /** The cap of a part; {@link #UNCHARGED} if a settlement does not charge it. */
  private long mostOf(Reservation.BucketPart part) {
    return pools
        .find(part.rule(), part.slot(), part.key(), part.tenant())
        .filter(SettlementCap::charges)
        .map(pool -> SettlementCap.of(pool, part.amount()))
        .orElse(UNCHARGED);
  }

  /** How many parts of settlements were charged less than requested. */
  public long clamped() {
    return cap.clamped();
  }

  /**
   * Whether no store recorded any part. Otherwise the store that did so checks the age by its own
   * clock.
   */
  private static boolean hasNoKnownAge(List<ReservedPart> parts) {
    return parts.stream().allMatch(part -> part.receipt().origin() == TakeReceipt.Origin.NOWHERE);
  }

  private boolean isLate(Reservation reservation) {
    return time.wallMicros() - reservation.madeAtMicros() > Micros.of(SETTLE_WITHIN);
  }

  /**
   * Releases permits after a settlement, even if it was settled before: a first attempt may have
   * settled, and then failed to release because the store was unavailable.
   */
  private CompletionStage<SettlementResult> releaseAfterRetry(
      Reservation reservation, List<ReservedPart> parts, SettlementResult settled) {
    return settled == SettlementResult.UNAVAILABLE
        ? CompletableFuture.completedFuture(settled)
        : store.release(reservation.id(), parts).thenApply(settled::and);
  }

  public CompletionStage<SettlementResult> release(String text) {
    Optional<Reservation> opened = codec.decode(text);
    return opened.isEmpty()
        ? CompletableFuture.completedFuture(SettlementResult.UNKNOWN)
        : store.release(opened.get().id(), liveParts(opened.get(), Reservation.BucketPart::amount));
  }

  public CompletionStage<SettlementResult> renew(String text) {
    Optional<Reservation> opened = codec.decode(text);
    return opened.isEmpty()
        ? CompletableFuture.completedFuture(SettlementResult.UNKNOWN)
        : store.renew(opened.get().id(), liveParts(opened.get(), Reservation.BucketPart::amount));
  }

  /** The parts whose rule and limit still exist. */
  private List<ReservedPart> liveParts(
      Reservation reservation, ToLongFunction<Reservation.BucketPart> owed) {
    List<ReservedPart> held = new ArrayList<>();
    for (Reservation.BucketPart part : reservation.parts()) {
      pools
          .find(part.rule(), part.slot(), part.key(), part.tenant())
          .ifPresent(
              pool ->
                  held.add(
                      new ReservedPart(
                          pool,
                          part.key(),
                          part.amount(),
                          owed.applyAsLong(part),
                          part.receipt())));
    }
    return held;
  }
}
