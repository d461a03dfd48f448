package io.weir.server.check;

import io.weir.Call;
import io.weir.SettlementResult;
import io.weir.engine.Engine;
import io.weir.server.front.GuardedCalls;
import io.weir.server.http.HttpExchange;
import io.weir.server.http.HttpProblemException;
import io.weir.server.http.JsonReader;
import io.weir.server.http.JsonWriter;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The endpoints of reservations: settle, release and renew. */
public final class ReservationEndpoints {
  private static final byte[] SETTLED = JsonWriter.name("settled");

  private final Engine engine;
  private final GuardedCalls guarded;

  public ReservationEndpoints(Engine engine, GuardedCalls guarded) {
    this.engine = engine;
    this.guarded = guarded;
  }

  /** {@code POST /v1/settle}. */
  public void settle(HttpExchange exchange, byte[] body) {
    Request request = Request.read(body, true);
    answer(exchange, () -> settle(request));
  }

  private CompletionStage<SettlementResult> settle(Request request) {
    try {
      return engine.settleAsync(request.reservation, request.cost);
    } catch (IllegalArgumentException e) {
      throw HttpProblemException.badField("cost", e.getMessage());
    }
  }

  /** {@code POST /v1/release}. */
  public void release(HttpExchange exchange, byte[] body) {
    Request request = Request.read(body, false);
    answer(exchange, () -> engine.releaseAsync(request.reservation));
  }

  /** {@code POST /v1/renew}. */
  public void renew(HttpExchange exchange, byte[] body) {
    Request request = Request.read(body, false);
    answer(exchange, () -> engine.renewAsync(request.reservation));
  }

  private void answer(HttpExchange exchange, Supplier<CompletionStage<SettlementResult>> action) {
    exchange.answerWhenDone(guarded.begin(action), ReservationEndpoints::write);
  }

  private static void write(JsonWriter out, SettlementResult result) {
    if (result == SettlementResult.UNKNOWN) {
      throw HttpProblemException.notFound("unknown reservation");
    }
    if (result == SettlementResult.UNAVAILABLE) {
      throw HttpProblemException.unavailable("the store is unavailable; retry in 1 s");
    }
    out.open().field(SETTLED).flag(result == SettlementResult.DONE).close();
  }

  /** The body of such a request. */
  private record Request(String reservation, long cost) {
    static Request read(byte[] body, boolean withCost) {
      return JsonReader.read(body, in -> read(in, withCost));
    }

    private static Request read(JsonReader in, boolean withCost) throws IOException {
      @Nullable String reservation = null;
      long cost = -1;
      in.object();
      for (String name = in.next(); name != null; name = in.next()) {
        if (name.equals("reservation")) {
          reservation = in.text();
        } else if (withCost && name.equals("cost")) {
          cost = in.wholeNumber(Call.MAX_COST);
        } else {
          throw in.unknownField(withCost ? List.of("reservation", "cost") : List.of("reservation"));
        }
      }
      if (reservation == null) {
        throw HttpProblemException.badField("reservation", "reservation is missing");
      }
      if (withCost && cost < 0) {
        throw HttpProblemException.badField("cost", "cost is missing; 0 refunds all of it");
      }
      return new Request(reservation, cost);
    }
  }
}
