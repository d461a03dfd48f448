package io.weir.server.check;

import io.weir.Call;
import io.weir.Decision;
import io.weir.server.http.HttpExchange;
import io.weir.server.http.HttpProblemException;
import io.weir.server.http.JsonWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The endpoint {@code POST /v1/check/batch}: many calls, each decided on its own, in order. */
public final class BatchEndpoint {
  private static final byte[] DECISIONS = JsonWriter.name("decisions");

  private final CheckEndpoints checks;

  public BatchEndpoint(CheckEndpoints checks) {
    this.checks = checks;
  }

  public void check(HttpExchange exchange, byte[] body) {
    List<Call> calls = CallReader.readBatch(body);
    for (int i = 0; i < calls.size(); i++) {
      requireCosts(calls.get(i), i);
    }
    List<CompletableFuture<Optional<Decision>>> decisions = new ArrayList<>(calls.size());
    for (Call call : calls) {
      decisions.add(decide(call));
    }
    CompletableFuture<Void> all =
        CompletableFuture.allOf(decisions.toArray(CompletableFuture[]::new));
    exchange.answerWhenDone(all.thenApply(done -> decisions), BatchEndpoint::write);
  }

  /** Checks costs before any call is decided, so that a rejected batch has taken nothing. */
  private void requireCosts(Call call, int number) {
    try {
      checks.requireCosts(call);
    } catch (HttpProblemException e) {
      throw HttpProblemException.badField(
          "calls[" + number + "]." + e.field(), String.valueOf(e.getMessage()));
    }
  }

  /**
   * The decision; empty if the load guard refuses the call, or if a cost is invalid by rules that
   * came into force after the check. The batch cannot fail any more, as earlier calls are decided
   * already.
   */
  private CompletableFuture<Optional<Decision>> decide(Call call) {
    try {
      return checks.decide(call).thenApply(Optional::of).toCompletableFuture();
    } catch (HttpProblemException e) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
  }

  private static void write(JsonWriter out, List<CompletableFuture<Optional<Decision>>> decisions) {
    out.open().field(DECISIONS).openList();
    for (CompletableFuture<Optional<Decision>> decision : decisions) {
      decision
          .join()
          .ifPresentOrElse(
              made -> DecisionWriter.write(out, made), () -> DecisionWriter.writeUnavailable(out));
    }
    out.closeList().close();
  }
}
