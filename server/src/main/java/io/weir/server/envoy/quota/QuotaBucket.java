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
 * A bucket that Envoys enforce themselves, with tokens reserved from the rules' limits in advance.
 *
 * <p>In every period it reserves the requests its Envoys may allow in that period, and divides them
 * by the demand of each Envoy. Reports carry the real usage: unused tokens are refunded, and usage
 * beyond the reservation becomes debt. So the limit is charged before requests are allowed, for any
 * number of Envoys and Weir instances. An Envoy whose share is reduced can exceed it by one
 * period's share.
 *
 * <p>Its lock is held only briefly, and not while the rules are evaluated, because reports arrive
 * on event loops.
 */
final class QuotaBucket {
  private static final Assignment ALLOW_ALL = new Assignment.AllowAll();
  private static final Assignment DENY_ALL = new Assignment.DenyAll();
  private static final Assignment ABANDONED = new Assignment.Abandoned();
  private static final CompletionStage<Void> DONE = CompletableFuture.completedStage(null);

  /** At a limit, the shares stay if they use at least this fraction of the available requests. */
  private static final double GOOD_ENOUGH = 0.8;

  /** Relative deviation of a share from its fair part beyond which all shares are recomputed. */
  private static final double MAX_DEVIATION = 0.2;

  /** Retries with a smaller amount in a period in which the limit has too little. */
  private static final int MAX_TRIES = 4;

  /** A reservation for one period, not yet settled. */
  private record PeriodReservation(String reservation, long amount, long tick) {}

  private final Engine engine;
  private final Executor executor;
  private final Consumer<Throwable> errors;
  private final Call call;
  private final Map<Object, EnvoyShare> byEnvoy = new LinkedHashMap<>();
  private final Deque<PeriodReservation> reservations = new ArrayDeque<>();
  private long now;
  private long used;
  private boolean reserving;
  private boolean renewRequested;
  private boolean closed;

  /**
   * Creates a bucket without Envoys.
   *
   * @param executor runs the continuations after the rules were evaluated
   * @param now the current period
   */
  QuotaBucket(Engine engine, Executor executor, Consumer<Throwable> errors, QuotaId id, long now) {
    this.engine = engine;
    this.executor = executor;
    this.errors = errors;
    this.call = id.call();
    this.now = now;
  }

  // ---- reports

  /** A report: the requests that an Envoy allowed and refused in a time span. */
  record ReportedUsage(long passed, long refused, double seconds) {}

  /** The result of a report. */
  enum ReportResult {
    /** An assignment exists already, or follows with the next period. */
    COUNTED,
    /** No other Envoy uses the bucket: it must be renewed now, by {@link #renewIfRequested}. */
    RENEW_NOW,
    /** Not recorded, as the bucket is closed; the caller creates a new one. */
    CLOSED
  }

  /**
   * Records an Envoy's report.
   *
   * @param isSameEnvoy whether a disconnected Envoy is the same as this one
   * @param newShare creates its share in a period, if this is the first report
   */
  synchronized ReportResult onReport(
      Object envoy,
      ReportedUsage usage,
      Predicate<Object> isSameEnvoy,
      LongFunction<EnvoyShare> newShare) {
    if (closed) {
      return ReportResult.CLOSED;
    }
    EnvoyShare share = byEnvoy.get(envoy);
    boolean first = share == null;
    if (share == null) {
      removeReconnected(isSameEnvoy);
      share = newShare.apply(now);
      byEnvoy.put(envoy, share);
    }
    share.onReport(usage.passed() + usage.refused(), usage.seconds(), now);
    used(usage.passed());
    if (first && byEnvoy.size() == 1) {
      renewRequested = true;
      return ReportResult.RENEW_NOW;
    }
    return ReportResult.COUNTED;
  }

  /**
   * Removes the share of an Envoy that has reconnected. It reports its usage of the meantime on the
   * new connection, so none needs to be estimated. If several match, only one of them is removed.
   */
  private void removeReconnected(Predicate<Object> isSameEnvoy) {
    byEnvoy.entrySet().stream()
        .filter(entry -> entry.getValue().isDisconnected() && isSameEnvoy.test(entry.getKey()))
        .map(Map.Entry::getKey)
        .findFirst()
        .ifPresent(byEnvoy::remove);
  }

  /** Adds requests that were allowed. */
  private void used(long requests) {
    used = Math.min(Call.MAX_COST, used + requests);
  }

  /** An Envoy's connection has closed. */
  synchronized void onDisconnect(Object envoy) {
    EnvoyShare share = byEnvoy.get(envoy);
    if (share != null) {
      share.disconnected();
    }
  }

  // ---- assignments

  /** Begins a period; completes when all shares are assigned, normally even after a failure. */
  CompletionStage<Void> begin(long tick) {
    synchronized (this) {
      if (now >= tick) {
        return DONE; // created in this period
      }
      now = tick;
      dropUnused();
    }
    return renew();
  }

  /** Renews the bucket if a first report requested it; completes when that is done. */
  CompletionStage<Void> renewIfRequested() {
    synchronized (this) {
      if (!renewRequested) {
        return DONE; // the next period has renewed it already
      }
    }
    return renew();
  }

  /** Closes the bucket if no Envoy uses it any more; returns whether it is closed. */
  synchronized boolean closeIfUnused() {
    closed = closed || byEnvoy.isEmpty() && !reserving;
    return closed;
  }

  /** Removes Envoys that do not use the bucket, or whose assignment expired without a report. */
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

  /** Reserves for the period that begins, and sends assignments to the Envoys. */
  private CompletionStage<Void> renew() {
    long begun;
    long asked;
    long had;
    synchronized (this) {
      begun = now;
      renewRequested = false;
      settleReportedPeriods();
      if (reserving || byEnvoy.isEmpty()) {
        return DONE;
      }
      reserving = true;
      asked = shares().mapToLong(QuotaBucket::demand).sum();
      had = isFair() ? shares().mapToLong(EnvoyShare::assignedRequests).sum() : 0;
    }
    return reserve(Math.min(Call.MAX_COST, asked))
        .thenComposeAsync(reserved -> retryWithRest(reserved, had, MAX_TRIES), executor)
        .thenAccept(reserved -> assign(reserved, begun))
        .handle(
            (done, failure) -> {
              onReserved(failure, begun);
              return null;
            });
  }

  private synchronized void onReserved(@Nullable Throwable failure, long begun) {
    reserving = false;
    if (failure != null) {
      onFailure(failure, begun);
    }
  }

  private void onFailure(Throwable failure, long now) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (!(cause instanceof InvalidRequestException)) {
      errors.accept(cause == null ? failure : cause);
    }
    shares().forEach(share -> share.expire(now));
  }

  /** Whether each Envoy's share is close to its fraction of the total demand. */
  private boolean isFair() {
    long asked = shares().mapToLong(QuotaBucket::demand).sum();
    long had = shares().mapToLong(EnvoyShare::assignedRequests).sum();
    return shares()
        .allMatch(
            share -> {
              double part = (double) demand(share) / asked * had;
              return Math.abs(share.assignedRequests() - part) <= 1 + part * MAX_DEVIATION;
            });
  }

  /** The demand of an Envoy; a disconnected one keeps its share and gets no more. */
  private static long demand(EnvoyShare share) {
    return share.isDisconnected() ? share.assignedRequests() : share.demand();
  }

  /** A decision, the amount it reserved, and the amount that was available. */
  private record QuotaGrant(Decision decision, long amount, long left) {}

  private CompletionStage<QuotaGrant> reserve(long amount) {
    try {
      return engine
          .reserveAheadAsync(call.cost(amount))
          .thenApply(ahead -> new QuotaGrant(ahead.decision(), amount, ahead.available()));
    } catch (IllegalArgumentException e) {
      // An entry that a rule uses as cost is not a number.
      return CompletableFuture.failedFuture(
          new InvalidRequestException(String.valueOf(e.getMessage())));
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedFuture(e); // so that the in-flight flag is cleared
    }
  }

  /**
   * Retries a refused reservation with the amount that is left. A refusal reports only the limits
   * that were evaluated. Another limit may have less left, and then refuses the retry.
   */
  private CompletionStage<QuotaGrant> retryWithRest(QuotaGrant asked, long had, int tries) {
    if (tries == 0 || asked.decision.reason() != Reason.LIMITED) {
      return CompletableFuture.completedFuture(asked);
    }
    long left = asked.left;
    boolean stay = had > 0 && had < asked.amount && had <= left && had >= left * GOOD_ENOUGH;
    long second = stay ? had : Math.min(left, asked.amount - 1);
    return second > 0
        ? reserve(second).thenComposeAsync(again -> retryWithRest(again, had, tries - 1), executor)
        : CompletableFuture.completedFuture(asked);
  }

  private synchronized void assign(QuotaGrant reserved, long now) {
    Decision decision = reserved.decision;
    decision
        .reservation()
        .ifPresent(made -> reservations.addLast(new PeriodReservation(made, reserved.amount, now)));
    if (!decision.allowed()) {
      assignAll(DENY_ALL, now);
    } else if (decision.deciding().isEmpty()) {
      assignAll(ALLOW_ALL, now); // rules in shadow mode count, but do not refuse
    } else {
      divide(reserved.amount, now);
    }
  }

  /**
   * Divides the amount in proportion to demand. Where a part rounds to 0, one request is assigned
   * to the Envoys in turn.
   */
  private void divide(long amount, long now) {
    long asked = shares().mapToLong(QuotaBucket::demand).sum();
    boolean asBefore = isFair() && amount == shares().mapToLong(EnvoyShare::assignedRequests).sum();
    long left = amount;
    int index = 0;
    for (EnvoyShare share : List.copyOf(byEnvoy.values())) {
      long part;
      if (amount >= asked) {
        part = demand(share);
      } else if (asBefore) {
        part = share.assignedRequests();
      } else {
        part = (long) ((double) demand(share) / asked * amount);
        part = part == 0 && (index + now) % byEnvoy.size() == 0 ? 1 : part;
      }
      part = Math.min(part, left);
      left -= part;
      index++;
      share.assign(part > 0 ? new Assignment.Requests(part) : DENY_ALL, now);
    }
  }

  private Stream<EnvoyShare> shares() {
    return byEnvoy.values().stream();
  }

  private void assignAll(Assignment assignment, long now) {
    shares().forEach(share -> share.assign(assignment, now));
  }

  /** Settles the periods for which all Envoys have reported their usage. */
  private void settleReportedPeriods() {
    long reported = shares().mapToLong(EnvoyShare::reportedAt).min().orElse(now);
    while (!reservations.isEmpty() && reservations.peekFirst().tick() < Math.min(reported, now)) {
      PeriodReservation oldest = reservations.removeFirst();
      boolean last = reservations.isEmpty() || reservations.peekFirst().tick() >= reported;
      long later = reservations.stream().mapToLong(PeriodReservation::amount).sum();
      long spent = Math.min(used, oldest.amount());
      if (last && used - spent > later) {
        spent = used - later; // more than was reserved: a debt
      }
      used -= spent;
      engine.settleOnceAsync(oldest.reservation(), spent);
    }
  }
}
