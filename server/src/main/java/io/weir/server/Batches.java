package io.weir.server;

import io.weir.Call;
import io.weir.Decision;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The endpoint {@code POST /v1/check/batch}: many calls, each decided on its own, in order. */
final class Batches {
  private static final byte[] DECISIONS = Json.name("decisions");

  private final Checks checks;

  Batches(Checks checks) {
    this.checks = checks;
  }

  void check(Exchange exchange, byte[] body) {
    List<Call> calls = CallReader.readBatch(body);
    List<CompletableFuture<Optional<Decision>>> decisions = new ArrayList<>(calls.size());
    for (int i = 0; i < calls.size(); i++) {
      decisions.add(decide(calls.get(i), i));
    }
    CompletableFuture<Void> all =
        CompletableFuture.allOf(decisions.toArray(CompletableFuture[]::new));
    exchange.answerWhenDone(all.thenApply(done -> decisions), Batches::write);
  }

  /** The decision; nothing if the guard has no room, as earlier calls have been decided already. */
  private CompletableFuture<Optional<Decision>> decide(Call call, int number) {
    try {
      return checks.decide(call).thenApply(Optional::of).toCompletableFuture();
    } catch (HttpProblem e) {
      if (e.passing()) {
        return CompletableFuture.completedFuture(Optional.empty());
      }
      throw HttpProblem.badField(
          "calls[" + number + "]." + e.field(), String.valueOf(e.getMessage()));
    }
  }

  private static void write(Json out, List<CompletableFuture<Optional<Decision>>> decisions) {
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
