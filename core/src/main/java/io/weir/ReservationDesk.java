package io.weir;

import io.weir.limit.Bounds;
import io.weir.limit.Stamp;
import io.weir.rule.Cost;
import io.weir.store.Draw;
import io.weir.store.Held;
import io.weir.store.Pool;
import io.weir.store.Store;
import io.weir.store.Taking;
import io.weir.store.Term;
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
final class ReservationDesk {
  /** How long a reservation can be settled; after that it stands. */
  static final Duration SETTLE_WITHIN = Duration.ofMinutes(10);

  /** How long after a settlement its call may still be on its way, or be sent again. */
  private static final Duration UNDER_WAY = Duration.ofSeconds(10);

  /** Stands for all rules of a reservation; no rule has this id. */
  private static final String EVERY_RULE = "";

  private static final long UNCHARGED = -1;

  /**
   * Who settles, and so for how long it has to be known that it was done. How old a reservation may
   * be is the same for all: by the store's clock, as an instance's may have been set since.
   */
  enum Settler {
    /**
     * Whoever has the reservation's text, as often as they like. A cost above the cap is refused.
     */
    ANYBODY(SETTLE_WITHIN),
    /** Its only holder, this once. A cost above the cap is charged as the cap. */
    HOLDER(UNDER_WAY);

    private final Term term;

    Settler(Duration marked) {
      this.term = new Term(SETTLE_WITHIN, marked);
    }
  }

  /** Finds the pool that a part of an old reservation belongs to now. */
  interface PoolFinder {
    Optional<Pool> find(String rule, String slot, String tenant);
  }

  /** Decides draws on which the store failed as it never should. */
  interface Failing {
    Taking decide(long reservation, List<Draw> draws, Throwable problem);
  }

  private final Store store;
  private final Shards shards;
  private final TimeSource time;
  private final ReservationSeal seal;
  private final PoolFinder pools;
  private final Failing failing;
  private final SettlementCap cap;

  /** A desk for callers who hear of such errors themselves. */
  ReservationDesk(Store store, TimeSource time, byte[] secret, PoolFinder pools) {
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

  ReservationDesk(Store store, TimeSource time, byte[] secret, PoolFinder pools, Failing failing) {
    this.store = store;
    this.shards = Shards.in(store, time);
    this.time = time;
    this.seal = new ReservationSeal(secret);
    this.pools = pools;
    this.failing = failing;
    this.cap = new SettlementCap(time);
  }

  /** Takes the draws and says how to settle them. */
  CompletionStage<Decision> reserve(List<Draw> draws, String tenant) {
    CompletionStage<Tried> made;
    try {
      made = shards.reserve(draws);
    } catch (RuntimeException | Error e) {
      return CompletableFuture.completedFuture(decision(failed(draws, e), tenant));
    }
    return made.handle(
        (tried, problem) -> decision(problem == null ? tried : failed(draws, problem), tenant));
  }

  private Tried failed(List<Draw> draws, Throwable problem) {
    long id = shards.newId();
    return new Tried(id, draws, failing.decide(id, draws, problem));
  }

  private Decision decision(Tried tried, String tenant) {
    Decision decision = Decision.of(tried.taking().standings());
    return tried.taking().taken()
        ? decision.reserved(seal.seal(Reservation.of(tried, time.wallMicros(), tenant)))
        : decision;
  }

  /**
   * Puts a reservation right at the call's true cost. A cost of 0 gives everything back, permits
   * included.
   */
  CompletionStage<Settlement> settle(String text, long cost, Settler settler) {
    Bounds.cost(cost);
    Settling settling =
        new Settling(part -> Cost.times(cost, part.unit()), Map.of(EVERY_RULE, cost), settler);
    return settle(text, settling, cost == 0);
  }

  /** Puts the parts of some rules right, each at its own cost; the others keep what they took. */
  CompletionStage<Settlement> settle(String text, Map<String, Long> costs, Settler settler) {
    costs.values().forEach(Bounds::cost);
    return settle(
        text,
        new Settling(part -> costs.getOrDefault(part.rule(), part.amount()), costs, settler),
        false);
  }

  /**
   * How a reservation is to be settled.
   *
   * @param owed what a part turned out to cost
   * @param costs the same as it was asked for: by rule, or for {@link #EVERY_RULE}
   */
  private record Settling(
      ToLongFunction<Reservation.Part> owed, Map<String, Long> costs, Settler settler) {}

  private CompletionStage<Settlement> settle(String text, Settling settling, boolean andRelease) {
    Optional<Reservation> opened = seal.open(text);
    if (opened.isEmpty()) {
      return CompletableFuture.completedFuture(Settlement.UNKNOWN);
    }
    Reservation reservation = opened.get();
    if (settling.settler == Settler.ANYBODY) {
      settling.costs.forEach((rule, cost) -> requireWithinCap(reservation, rule, cost));
    }
    List<Held> parts = held(reservation, settling.owed).stream().map(cap::clamp).toList();
    if (isKnownToNobody(parts) && isLate(reservation)) {
      return CompletableFuture.completedFuture(Settlement.ALREADY);
    }
    CompletionStage<Settlement> settled =
        store.settle(reservation.id(), parts, settling.settler.term);
    return andRelease
        ? settled.thenCompose(came -> alsoReleased(reservation, parts, came))
        : settled;
  }

  /**
   * Refuses a cost that is above what any of the limits may owe. One that only smaller limits may
   * not owe is settled, and those are charged at their cap.
   */
  private void requireWithinCap(Reservation reservation, String rule, long cost) {
    boolean every = rule.equals(EVERY_RULE);
    long most = UNCHARGED;
    for (Reservation.Part part : reservation.parts()) {
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
  private long mostOf(Reservation.Part part) {
    return pools
        .find(part.rule(), part.slot(), part.tenant())
        .filter(SettlementCap::charges)
        .map(pool -> SettlementCap.of(pool, part.amount()))
        .orElse(UNCHARGED);
  }

  /** How many parts of settlements were charged less than they asked for. */
  long clamped() {
    return cap.clamped();
  }

  /** Whoever took the parts knows by its own clock whether they are too old; here nobody does. */
  private static boolean isKnownToNobody(List<Held> parts) {
    return parts.stream().allMatch(part -> part.stamp().where() == Stamp.Where.NOWHERE);
  }

  private boolean isLate(Reservation reservation) {
    return time.wallMicros() - reservation.madeAtMicros() > Bounds.micros(SETTLE_WITHIN);
  }

  /** Whoever tries again because the store was away may have settled already, and still hold. */
  private CompletionStage<Settlement> alsoReleased(
      Reservation reservation, List<Held> parts, Settlement settled) {
    return settled == Settlement.UNAVAILABLE
        ? CompletableFuture.completedFuture(settled)
        : store.release(reservation.id(), parts).thenApply(settled::and);
  }

  CompletionStage<Settlement> release(String text) {
    Optional<Reservation> opened = seal.open(text);
    return opened.isEmpty()
        ? CompletableFuture.completedFuture(Settlement.UNKNOWN)
        : store.release(opened.get().id(), held(opened.get(), Reservation.Part::amount));
  }

  CompletionStage<Settlement> renew(String text) {
    Optional<Reservation> opened = seal.open(text);
    return opened.isEmpty()
        ? CompletableFuture.completedFuture(Settlement.UNKNOWN)
        : store.renew(opened.get().id(), held(opened.get(), Reservation.Part::amount));
  }

  /** The parts whose pools still are. */
  private List<Held> held(Reservation reservation, ToLongFunction<Reservation.Part> owed) {
    List<Held> held = new ArrayList<>();
    for (Reservation.Part part : reservation.parts()) {
      pools
          .find(part.rule(), part.slot(), part.tenant())
          .ifPresent(
              pool ->
                  held.add(
                      new Held(
                          pool, part.key(), part.amount(), owed.applyAsLong(part), part.stamp())));
    }
    return held;
  }
}
