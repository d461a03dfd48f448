package io.weir.server.envoy.quota;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Reason;
import io.weir.engine.Engine;
import io.weir.server.envoy.grpc.InvalidRequestException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A bucket that Envoys enforce by themselves, on what was taken from the rules' limits in advance.
 *
 * <p>In every period it reserves, by the rules, what its Envoys may let through in that period, and
 * divides it by what each of them asks for. Reports say what was really used; what was not is given
 * back, and what was used without having been reserved goes into debt. So however many Envoys and
 * Weirs there are, the limit is drawn from before it is spent; an Envoy that is told less can be
 * ahead of that by one period's share.
 *
 * <p>Its own lock is held for moments only, and not while the rules are asked: reports come on
 * event loops.
 */
final class QuotaBucket {
  private static final Assignment ALL = new Assignment.AllowAll();
  private static final Assignment NOTHING = new Assignment.DenyAll();
  private static final Assignment ABANDONED = new Assignment.Abandoned();
  private static final CompletionStage<Void> DONE = CompletableFuture.completedStage(null);

  /** At a limit, a division that uses at least this part of what there is stays. */
  private static final double GOOD_ENOUGH = 0.8;

  /** By how much a share may differ from what would be right, before all is divided anew. */
  private static final double UNFAIR = 0.2;

  /** How often less is asked for, in a period in which there is not enough. */
  private static final int MOST_TRIES = 4;

  /** What was reserved for a period and not yet put right. */
  private record PeriodReservation(String reservation, long amount, long tick) {}

  private final Engine engine;
  private final Executor work;
  private final Consumer<Throwable> faults;
  private final Call call;
  private final Map<Object, EnvoyShare> byEnvoy = new LinkedHashMap<>();
  private final Deque<PeriodReservation> held = new ArrayDeque<>();
  private long now;
  private long used;
  private boolean asking;
  private boolean wanted;
  private boolean over;

  /**
   * A bucket nobody uses yet.
   *
   * @param work where it is worked on when the rules have answered
   * @param now the period it begins in
   */
  QuotaBucket(Engine engine, Executor work, Consumer<Throwable> faults, QuotaId id, long now) {
    this.engine = engine;
    this.work = work;
    this.faults = faults;
    this.call = id.call();
    this.now = now;
  }

  // ---- what Envoys say

  /** What an Envoy let through, and how much it asks for. */
  record ReportedUsage(long passed, long refused, double seconds) {}

  /** What became of a report. */
  enum ReportResult {
    /** There is an assignment already, or one comes with the next period. */
    COUNTED,
    /** Nobody else uses the bucket: it is to be renewed now, by {@link #renewIfWanted}. */
    WANTED,
    /** Not taken, as the bucket has been given up; there is to be another. */
    TOO_LATE
  }

  /**
   * Takes an Envoy's report.
   *
   * @param isBack whether one who has gone is this Envoy
   * @param joining makes its share at a tick, if this is the first report
   */
  synchronized ReportResult onReport(
      Object envoy,
      ReportedUsage usage,
      Predicate<Object> isBack,
      LongFunction<EnvoyShare> joining) {
    if (over) {
      return ReportResult.TOO_LATE;
    }
    EnvoyShare share = byEnvoy.get(envoy);
    boolean first = share == null;
    if (share == null) {
      removeReconnected(isBack);
      share = joining.apply(now);
      byEnvoy.put(envoy, share);
    }
    share.onReport(usage.passed() + usage.refused(), usage.seconds(), now);
    used(usage.passed());
    if (first && byEnvoy.size() == 1) {
      wanted = true;
      return ReportResult.WANTED;
    }
    return ReportResult.COUNTED;
  }

  /**
   * An Envoy that has gone is back on another connection. There it reports all that it used in the
   * meantime, so that nothing needs to be assumed; of several it can only be one.
   */
  private void removeReconnected(Predicate<Object> isBack) {
    byEnvoy.entrySet().stream()
        .filter(entry -> entry.getValue().isGone() && isBack.test(entry.getKey()))
        .map(Map.Entry::getKey)
        .findFirst()
        .ifPresent(byEnvoy::remove);
  }

  /** Requests that were let through. */
  private void used(long requests) {
    used = Math.min(Call.MAX_COST, used + requests);
  }

  /** An Envoy's connection has gone. */
  synchronized void left(Object envoy) {
    EnvoyShare share = byEnvoy.get(envoy);
    if (share != null) {
      share.disconnected();
    }
  }

  // ---- what they are told

  /** A period begins; completes when that is done, also if it failed. */
  CompletionStage<Void> begin(long tick) {
    synchronized (this) {
      if (now >= tick) {
        return DONE; // it is as young as the period
      }
      now = tick;
      dropUnused();
    }
    return renew();
  }

  /** Renews what has been wanted since a period began; completes when that is done. */
  CompletionStage<Void> renewIfWanted() {
    synchronized (this) {
      if (!wanted) {
        return DONE; // the next period was faster
      }
    }
    return renew();
  }

  /** Gives the bucket up if nobody uses it any more; whether it is. */
  synchronized boolean giveUpIfUnused() {
    over = over || byEnvoy.isEmpty() && !asking;
    return over;
  }

  /** Forgets Envoys that do not use the bucket, or have not been heard of for too long. */
  private void dropUnused() {
    for (Map.Entry<Object, EnvoyShare> entry : Map.copyOf(byEnvoy).entrySet()) {
      EnvoyShare share = entry.getValue();
      if (share.isOver(now)) {
        used(share.unreported(now));
        byEnvoy.remove(entry.getKey());
      } else if (share.isUnused(now)) {
        share.assign(ABANDONED, now);
        byEnvoy.remove(entry.getKey());
      }
    }
  }

  /** Reserves for the period that begins, and tells the Envoys. */
  private CompletionStage<Void> renew() {
    long begun;
    long asked;
    long had;
    synchronized (this) {
      begun = now;
      wanted = false;
      settleReportedPeriods();
      if (asking || byEnvoy.isEmpty()) {
        return DONE;
      }
      asking = true;
      asked = shares().mapToLong(QuotaBucket::wanted).sum();
      had = isFair() ? shares().mapToLong(EnvoyShare::has).sum() : 0;
    }
    return reserve(Math.min(Call.MAX_COST, asked))
        .thenComposeAsync(reserved -> orWhatIsLeft(reserved, had, MOST_TRIES), work)
        .thenAccept(reserved -> decided(reserved, begun))
        .handle(
            (done, failure) -> {
              onReserved(failure, begun);
              return null;
            });
  }

  private synchronized void onReserved(@Nullable Throwable failure, long begun) {
    asking = false;
    if (failure != null) {
      onFailure(failure, begun);
    }
  }

  private void onFailure(Throwable failure, long now) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (!(cause instanceof InvalidRequestException)) {
      faults.accept(cause == null ? failure : cause);
    }
    shares().forEach(share -> share.expire(now));
  }

  /** Whether what each Envoy has is about its part of what all of them ask for. */
  private boolean isFair() {
    long asked = shares().mapToLong(QuotaBucket::wanted).sum();
    long had = shares().mapToLong(EnvoyShare::has).sum();
    return shares()
        .allMatch(
            share -> {
              double part = (double) wanted(share) / asked * had;
              return Math.abs(share.has() - part) <= 1 + part * UNFAIR;
            });
  }

  /** An Envoy that has gone goes on with what it has, and no more. */
  private static long wanted(EnvoyShare share) {
    return share.isGone() ? share.has() : share.demand();
  }

  /** A decision, how much was reserved by it, and how much could have been. */
  private record QuotaGrant(Decision decision, long amount, long left) {}

  private CompletionStage<QuotaGrant> reserve(long amount) {
    try {
      return engine
          .reserveAhead(call.cost(amount))
          .thenApply(ahead -> new QuotaGrant(ahead.decision(), amount, ahead.available()));
    } catch (IllegalArgumentException e) {
      // an entry that a rule takes as cost is no number
      return CompletableFuture.failedFuture(
          new InvalidRequestException(String.valueOf(e.getMessage())));
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedFuture(e); // or it would be asking for ever
    }
  }

  /**
   * A refusal tells what is left of the limits that were asked; one that was not may have less, and
   * then says so itself.
   */
  private CompletionStage<QuotaGrant> orWhatIsLeft(QuotaGrant asked, long had, int tries) {
    if (tries == 0 || asked.decision.reason() != Reason.LIMITED) {
      return CompletableFuture.completedFuture(asked);
    }
    long left = asked.left;
    boolean stay = had > 0 && had < asked.amount && had <= left && had >= left * GOOD_ENOUGH;
    long second = stay ? had : Math.min(left, asked.amount - 1);
    return second > 0
        ? reserve(second).thenComposeAsync(again -> orWhatIsLeft(again, had, tries - 1), work)
        : CompletableFuture.completedFuture(asked);
  }

  private synchronized void decided(QuotaGrant reserved, long now) {
    Decision decision = reserved.decision;
    decision
        .reservation()
        .ifPresent(made -> held.addLast(new PeriodReservation(made, reserved.amount, now)));
    if (!decision.allowed()) {
      assignAll(NOTHING, now);
    } else if (decision.deciding().isEmpty()) {
      assignAll(ALL, now); // rules in shadow count, and refuse nothing
    } else {
      divide(reserved.amount, now);
    }
  }

  /** Divides by what each asks for; what is too little to be divided goes round. */
  private void divide(long amount, long now) {
    long asked = shares().mapToLong(QuotaBucket::wanted).sum();
    boolean asBefore = isFair() && amount == shares().mapToLong(EnvoyShare::has).sum();
    long left = amount;
    int place = 0;
    for (EnvoyShare share : List.copyOf(byEnvoy.values())) {
      long part;
      if (amount >= asked) {
        part = wanted(share);
      } else if (asBefore) {
        part = share.has();
      } else {
        part = (long) ((double) wanted(share) / asked * amount);
        part = part == 0 && (place + now) % byEnvoy.size() == 0 ? 1 : part;
      }
      part = Math.min(part, left);
      left -= part;
      place++;
      share.assign(part > 0 ? new Assignment.Requests(part) : NOTHING, now);
    }
  }

  private Stream<EnvoyShare> shares() {
    return byEnvoy.values().stream();
  }

  private void assignAll(Assignment assignment, long now) {
    shares().forEach(share -> share.assign(assignment, now));
  }

  /** Settles the periods of which all Envoys have reported what they used. */
  private void settleReportedPeriods() {
    long reported = shares().mapToLong(EnvoyShare::reportedAt).min().orElse(now);
    while (!held.isEmpty() && held.peekFirst().tick() < Math.min(reported, now)) {
      PeriodReservation oldest = held.removeFirst();
      boolean last = held.isEmpty() || held.peekFirst().tick() >= reported;
      long later = held.stream().mapToLong(PeriodReservation::amount).sum();
      long spent = Math.min(used, oldest.amount());
      if (last && used - spent > later) {
        spent = used - later; // more than was reserved: a debt
      }
      used -= spent;
      engine.settleOnce(oldest.reservation(), spent);
    }
  }
}
