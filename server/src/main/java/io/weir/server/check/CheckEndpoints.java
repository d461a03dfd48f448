package io.weir.server.check;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Explanation;
import io.weir.engine.Engine;
import io.weir.rule.Cost;
import io.weir.rule.Rule;
import io.weir.server.front.GuardedCalls;
import io.weir.server.front.RequestLimiter;
import io.weir.server.http.HttpExchange;
import io.weir.server.http.HttpProblemException;
import io.weir.server.http.VertxRequestHead;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** The endpoints for one call: check, reserve, explain, and the caller's own limits. */
public final class CheckEndpoints {
  private final Engine engine;
  private final GuardedCalls guarded;
  private final RequestLimiter limiter;

  public CheckEndpoints(Engine engine, GuardedCalls guarded, RequestLimiter limiter) {
    this.engine = engine;
    this.guarded = guarded;
    this.limiter = limiter;
  }

  /** {@code POST /v1/check}. */
  public void check(HttpExchange exchange, byte[] body) {
    Call call = CallReader.read(body);
    exchange.answerWhenDone(decide(call), DecisionWriter::write);
  }

  /** A decision about a call, which takes its cost. */
  CompletionStage<Decision> decide(Call call) {
    return guardedCall(call, () -> engine.checkAsync(call));
  }

  /**
   * Checks the costs of a call; takes nothing.
   *
   * @throws HttpProblemException if an attribute that a rule uses as cost is not a number
   */
  void requireCosts(Call call) {
    try {
      engine.requireCosts(call);
    } catch (IllegalArgumentException e) {
      throw badCost(call, e);
    }
  }

  /** A check for the warm-up: takes nothing and counts nothing. */
  public void look(HttpExchange exchange, byte[] body) {
    exchange.answerWhenDone(engine.lookAsync(CallReader.read(body)), DecisionWriter::write);
  }

  /** {@code POST /v1/reserve}. */
  public void reserve(HttpExchange exchange, byte[] body) {
    Call call = CallReader.read(body);
    exchange.answerWhenDone(
        guardedCall(call, () -> engine.reserveAsync(call)), DecisionWriter::write);
  }

  /** {@code POST /v1/explain}. */
  public void explain(HttpExchange exchange, byte[] body) {
    Call call = CallReader.read(body);
    CompletionStage<Explanation> explanation = guardedCall(call, () -> engine.explainAsync(call));
    exchange.answerWhenDone(
        explanation,
        (json, explained) -> ExplanationWriter.writeVisible(json, call, explained, engine.rules()));
  }

  /** {@code GET /v1/limits}. */
  public void limits(HttpExchange exchange, byte[] body) {
    limiter.identify(
        exchange, new VertxRequestHead(exchange.request()), self -> limits(exchange, self));
  }

  private void limits(HttpExchange exchange, Call self) {
    Call call = QueryCallReader.of(exchange.request(), self);
    exchange.answerWhenDone(
        guardedCall(call, () -> engine.lookAsync(call)),
        (json, decision) -> DecisionWriter.writeVisible(json, decision, engine.rules()));
  }

  private <T> CompletionStage<T> guardedCall(Call call, Supplier<CompletionStage<T>> action) {
    try {
      return guarded.begin(action);
    } catch (IllegalArgumentException e) {
      throw badCost(call, e);
    }
  }

  /** The problem that names the attribute which a rule uses as cost and which is not a number. */
  private RuntimeException badCost(Call call, IllegalArgumentException e) {
    for (Rule rule : engine.rules().rules()) {
      if (rule.cost() instanceof Cost.FromAttribute cost && !isNumber(call, cost)) {
        return HttpProblemException.badField(
            "attributes." + cost.attribute(), String.valueOf(e.getMessage()));
      }
    }
    return e;
  }

  private static boolean isNumber(Call call, Cost.FromAttribute cost) {
    try {
      cost.of(call);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
