package io.weir.engine;

import io.weir.Decision;
import io.weir.ExactNumbers;
import io.weir.SettlementResult;
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

/** Makes reservations and puts them right: settle at the true cost, release and renew permits. */
public final class ReservationService {
  /** How long a reservation can be settled; after that it stands. */
  static final Duration SETTLE_WITHIN = Duration.ofMinutes(10);

  /** How long after a settlement its call may still be on its way, or be sent again. */
  private static final Duration RETRY_WINDOW = Duration.ofSeconds(10);

  /** Stands for all rules of a reservation; no rule has this id. */
  private static final String EVERY_RULE = "";

  private static final long UNCHARGED = -1;

  /**
   * Who settles, and so for how long it has to be known that it was done. How old a reservation may
   * be is the same for all: by the store's clock, as an instance's may have been set since.
   */
  public enum MarkerLifetime {
    /**
     * Whoever has the reservation's text, as often as they like. A cost above the cap is refused.
     */
    ANYBODY(SETTLE_WITHIN),
    /** Its only holder, this once. A cost above the cap is charged as the cap. */
    HOLDER(RETRY_WINDOW);

    private final SettlementTerms term;

    MarkerLifetime(Duration marked) {
      this.term = new SettlementTerms(SETTLE_WITHIN, marked);
    }
  }

  /** Finds the pool that a part of an old reservation belongs to now. */
  public interface PoolFinder {
    Optional<Pool> find(String rule, String slot, String tenant);
  }

  /** Decides draws on which the store failed as it never should. */
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

  /** A desk for callers who hear of such errors themselves. */
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

  /** Takes the draws and says how to settle them. */
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
   * Puts a reservation right at the call's true cost. A cost of 0 gives everything back, permits
   * included.
   */
  public CompletionStage<SettlementResult> settle(String text, long cost, MarkerLifetime settler) {
    ExactNumbers.cost(cost);
    SettlementRequest settling =
        new SettlementRequest(
            part -> Cost.times(cost, part.unit()), Map.of(EVERY_RULE, cost), settler);
    return settle(text, settling, cost == 0);
  }

  /** Puts the parts of some rules right, each at its own cost; the others keep what they took. */
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
   * How a reservation is to be settled.
   *
   * @param owed what a part turned out to cost
   * @param costs the same as it was asked for: by rule, or for {@link #EVERY_RULE}
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
    if (settling.settler == MarkerLifetime.ANYBODY) {
      settling.costs.forEach((rule, cost) -> requireWithinCap(reservation, rule, cost));
    }
    List<ReservedPart> parts =
        liveParts(reservation, settling.owed).stream().map(cap::clamp).toList();
    if (hasNoKnownAge(parts) && isLate(reservation)) {
      return CompletableFuture.completedFuture(SettlementResult.ALREADY);
    }
    CompletionStage<SettlementResult> settled =
        store.settle(reservation.id(), parts, settling.settler.term);
    return andRelease
        ? settled.thenCompose(came -> releaseAfterRetry(reservation, parts, came))
        : settled;
  }

  /**
   * Refuses a cost that is above what any of the limits may owe. One that only smaller limits may
   * not owe is settled, and those are charged at their cap.
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

  /** The most that a part may owe; {@link #UNCHARGED} if it is charged nothing. */
  private long mostOf(Reservation.BucketPart part) {
    return pools
        .find(part.rule(), part.slot(), part.tenant())
        .filter(SettlementCap::charges)
        .map(pool -> SettlementCap.of(pool, part.amount()))
        .orElse(UNCHARGED);
  }

  /** How many parts of settlements were charged less than they asked for. */
  public long clamped() {
    return cap.clamped();
  }

  /** Whoever took the parts knows by its own clock whether they are too old; here nobody does. */
  private static boolean hasNoKnownAge(List<ReservedPart> parts) {
    return parts.stream().allMatch(part -> part.receipt().origin() == TakeReceipt.Origin.NOWHERE);
  }

  private boolean isLate(Reservation reservation) {
    return time.wallMicros() - reservation.madeAtMicros() > ExactNumbers.micros(SETTLE_WITHIN);
  }

  /** Whoever tries again because the store was away may have settled already, and still hold. */
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

  /** The parts whose pools still are. */
  private List<ReservedPart> liveParts(
      Reservation reservation, ToLongFunction<Reservation.BucketPart> owed) {
    List<ReservedPart> held = new ArrayList<>();
    for (Reservation.BucketPart part : reservation.parts()) {
      pools
          .find(part.rule(), part.slot(), part.tenant())
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
