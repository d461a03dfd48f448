package io.weir.server.gateway;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.weir.Call;
import io.weir.Concurrency;
import io.weir.Decision;
import io.weir.LimitStatus;
import io.weir.engine.Engine;
import io.weir.http.RateLimitResponses;
import io.weir.rule.Cost;
import io.weir.rule.RuleSet;
import io.weir.server.http.LoopContext;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The reservation of an admitted call: renews its permits while the call is in flight, releases
 * them at its end, and settles the cost that the response reports.
 */
final class AdmittedCall {
  /** HTTP/2 has header names in lower case only. */
  private static final CharSequence OVER =
      HttpHeaders.createOptimized(RateLimitResponses.OVER.toLowerCase(Locale.ROOT));

  private static final long NO_TIMER = -1;
  private static final int MAX_DIGITS = 100;
  private static final BigInteger MAX_COST = BigInteger.valueOf(Call.MAX_COST);

  private final Engine engine;
  private final LoopContext loop;
  private final Decision decision;
  private final @Nullable String reservation;
  private long timer = NO_TIMER;
  private boolean closed;

  AdmittedCall(Engine engine, LoopContext loop, Decision decision) {
    this.engine = engine;
    this.loop = loop;
    this.decision = decision;
    this.reservation = decision.reservation().orElse(null);
    long renewMillis = renewMillis();
    if (renewMillis > 0) {
      timer = loop.vertx().setPeriodic(renewMillis, tick -> engine.renewAsync(reservation));
    }
  }

  /** The renewal interval: a third of the shortest TTL of its permits; 0 if it holds none. */
  private long renewMillis() {
    long minTtl = Long.MAX_VALUE;
    if (reservation != null) {
      for (LimitStatus status : decision.statuses()) {
        if (status.limit() instanceof Concurrency limit) {
          minTtl = Math.min(minTtl, limit.permitTtl().toMillis());
        }
      }
    }
    return minTtl == Long.MAX_VALUE ? 0 : Math.max(1, minTtl / 3);
  }

  /** Adds the header by which the upstream sees that the call is over a limit. */
  void mark(MultiMap headers) {
    RateLimitResponses.over(decision).ifPresent(over -> headers.set(OVER, over.value()));
  }

  /** The upstream has responded: settles the cost that the response headers report. */
  void onResponse(MultiMap headers) {
    if (reservation == null) {
      return;
    }
    Map<String, Long> costs = new HashMap<>();
    RuleSet rules = engine.rules();
    for (LimitStatus status : decision.statuses()) {
      rules
          .rule(status.rule())
          .filter(rule -> rule.cost() instanceof Cost.FromResponse)
          .map(rule -> (Cost.FromResponse) rule.cost())
          .flatMap(cost -> number(headers.get(cost.header())))
          .ifPresent(cost -> costs.put(status.rule(), cost));
    }
    if (!costs.isEmpty()) {
      engine.settleOnceAsync(reservation, costs);
    }
  }

  /**
   * The cost in a header; empty, which leaves the reservation unsettled, if it is not a whole
   * number. A cost above the maximum is charged as the maximum.
   */
  private static Optional<Long> number(@Nullable String text) {
    if (text == null || text.length() > MAX_DIGITS) {
      return Optional.empty();
    }
    try {
      long cost =
          new BigInteger(text.strip()).min(MAX_COST).max(BigInteger.ONE.negate()).longValueExact();
      return cost < 0 ? Optional.empty() : Optional.of(cost);
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** The call has ended, with or without success. */
  void close() {
    if (!closed) {
      closed = true;
      if (timer != NO_TIMER) {
        loop.vertx().cancelTimer(timer);
        engine.releaseAsync(reservation);
      }
    }
  }
}
