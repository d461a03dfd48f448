package io.weir.server.gateway;

import io.vertx.core.MultiMap;
import io.weir.Call;
import io.weir.Concurrency;
import io.weir.Decision;
import io.weir.LimitStatus;
import io.weir.engine.Engine;
import io.weir.rule.Cost;
import io.weir.rule.RuleSet;
import io.weir.server.http.LoopContext;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the limiter has in hand for a call that was let through: permits, which are kept for as long
 * as the call goes on and then given back, and a cost that the response tells.
 */
final class AdmittedCall {
  private static final long NO_TIMER = -1;
  private static final int LONGEST_NUMBER = 100;
  private static final BigInteger MAX_COST = BigInteger.valueOf(Call.MAX_COST);

  private final Engine engine;
  private final LoopContext loop;
  private final Decision decision;
  private final @Nullable String reservation;
  private long timer = NO_TIMER;
  private boolean over;

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

  /** A third of the shortest life of its permits; 0 if it holds none. */
  private long renewMillis() {
    long shortest = Long.MAX_VALUE;
    if (reservation != null) {
      for (LimitStatus standing : decision.statuses()) {
        if (standing.limit() instanceof Concurrency limit) {
          shortest = Math.min(shortest, limit.permitTtl().toMillis());
        }
      }
    }
    return shortest == Long.MAX_VALUE ? 0 : Math.max(1, shortest / 3);
  }

  /** The upstream has answered: settles what the response says that the call has cost. */
  void onResponse(MultiMap headers) {
    if (reservation == null) {
      return;
    }
    Map<String, Long> costs = new HashMap<>();
    RuleSet rules = engine.rules();
    for (LimitStatus standing : decision.statuses()) {
      rules
          .rule(standing.rule())
          .filter(rule -> rule.cost() instanceof Cost.FromResponse)
          .map(rule -> (Cost.FromResponse) rule.cost())
          .flatMap(cost -> number(headers.get(cost.header())))
          .ifPresent(cost -> costs.put(standing.rule(), cost));
    }
    if (!costs.isEmpty()) {
      engine.settleOnce(reservation, costs);
    }
  }

  /**
   * A cost; what is no whole number leaves the reservation as it is. One that is too large is
   * charged as much as may be.
   */
  private static Optional<Long> number(@Nullable String text) {
    if (text == null || text.length() > LONGEST_NUMBER) {
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

  /** The call is over, however it ended. */
  void close() {
    if (!over) {
      over = true;
      if (timer != NO_TIMER) {
        loop.vertx().cancelTimer(timer);
        engine.releaseAsync(reservation);
      }
    }
  }
}
