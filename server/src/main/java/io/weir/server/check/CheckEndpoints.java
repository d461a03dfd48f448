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

/** The endpoints that ask about one call: check, reserve, explain, and the caller's own limits. */
public final class CheckEndpoints {
  private final Engine engine;
  private final GuardedCalls guarded;
  private final RequestLimiter front;

  public CheckEndpoints(Engine engine, GuardedCalls guarded, RequestLimiter front) {
    this.engine = engine;
    this.guarded = guarded;
    this.front = front;
  }

  /** {@code POST /v1/check}. */
  public void check(HttpExchange exchange, byte[] body) {
    Call call = CallReader.read(body);
    exchange.answerWhenDone(decide(call), DecisionWriter::write);
  }

  /** A decision about a call, which takes its cost. */
  CompletionStage<Decision> decide(Call call) {
    return ask(call, () -> engine.checkAsync(call));
  }

  /**
   * Looks whether a decision about a call can be made; takes nothing.
   *
   * @throws HttpProblemException if an attribute that a rule takes as cost is no number
   */
  void requireCosts(Call call) {
    try {
      engine.requireCosts(call);
    } catch (IllegalArgumentException e) {
      throw badCost(call, e);
    }
  }

  /** As a check, but takes nothing and counts nothing: for the warm-up. */
  public void look(HttpExchange exchange, byte[] body) {
    exchange.answerWhenDone(engine.lookAsync(CallReader.read(body)), DecisionWriter::write);
  }

  /** {@code POST /v1/reserve}. */
  public void reserve(HttpExchange exchange, byte[] body) {
    Call call = CallReader.read(body);
    exchange.answerWhenDone(ask(call, () -> engine.reserveAsync(call)), DecisionWriter::write);
  }

  /** {@code POST /v1/explain}. */
  public void explain(HttpExchange exchange, byte[] body) {
    Call call = CallReader.read(body);
    CompletionStage<Explanation> explanation = ask(call, () -> engine.explainAsync(call));
    exchange.answerWhenDone(explanation, (json, said) -> ExplanationWriter.write(json, call, said));
  }

  /** {@code GET /v1/limits}. */
  public void limits(HttpExchange exchange, byte[] body) {
    front.identify(
        exchange, new VertxRequestHead(exchange.request()), asker -> limits(exchange, asker));
  }

  private void limits(HttpExchange exchange, Call asker) {
    Call call = QueryCallReader.of(exchange.request(), asker);
    exchange.answerWhenDone(ask(call, () -> engine.lookAsync(call)), DecisionWriter::write);
  }

  private <T> CompletionStage<T> ask(Call call, Supplier<CompletionStage<T>> question) {
    try {
      return guarded.begin(question);
    } catch (IllegalArgumentException e) {
      throw badCost(call, e);
    }
  }

  /** Names the attribute that a rule takes as cost and that is no number. */
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
