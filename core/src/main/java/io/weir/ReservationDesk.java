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

  /**
   * Who settles, and so for how long it has to be known that it was done. How old a reservation may
   * be is the same for all: by the store's clock, as an instance's may have been set since.
   */
  enum Settler {
    /** Whoever has the reservation's text, as often as they like. */
    ANYBODY(SETTLE_WITHIN),
    /** Its only holder, this once. */
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
    return settle(text, part -> Cost.times(cost, part.unit()), settler, cost == 0);
  }

  /** Puts the parts of some rules right, each at its own cost; the others keep what they took. */
  CompletionStage<Settlement> settle(String text, Map<String, Long> costs, Settler settler) {
    costs.values().forEach(Bounds::cost);
    return settle(text, part -> costs.getOrDefault(part.rule(), part.amount()), settler, false);
  }

  private CompletionStage<Settlement> settle(
      String text, ToLongFunction<Reservation.Part> owed, Settler settler, boolean andRelease) {
    Optional<Reservation> opened = seal.open(text);
    if (opened.isEmpty()) {
      return CompletableFuture.completedFuture(Settlement.UNKNOWN);
    }
    Reservation reservation = opened.get();
    List<Held> parts = held(reservation, owed);
    if (isKnownToNobody(parts) && isLate(reservation)) {
      return CompletableFuture.completedFuture(Settlement.ALREADY);
    }
    CompletionStage<Settlement> settled = store.settle(reservation.id(), parts, settler.term);
    return andRelease
        ? settled.thenCompose(came -> alsoReleased(reservation, parts, came))
        : settled;
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
