package io.weir.server;

import io.weir.Call;
import io.weir.Settlement;
import io.weir.Weir;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The endpoints about reservations: settle, release and renew. */
final class Settlements {
  private static final byte[] SETTLED = Json.name("settled");

  private final Weir weir;
  private final Guarded guarded;

  Settlements(Weir weir, Guarded guarded) {
    this.weir = weir;
    this.guarded = guarded;
  }

  /** {@code POST /v1/settle}. */
  void settle(Exchange exchange, byte[] body) {
    Request request = Request.read(body, true);
    answer(exchange, () -> settle(request));
  }

  private CompletionStage<Settlement> settle(Request request) {
    try {
      return weir.settle(request.reservation, request.cost);
    } catch (IllegalArgumentException e) {
      throw HttpProblem.badField("cost", e.getMessage());
    }
  }

  /** {@code POST /v1/release}. */
  void release(Exchange exchange, byte[] body) {
    Request request = Request.read(body, false);
    answer(exchange, () -> weir.release(request.reservation));
  }

  /** {@code POST /v1/renew}. */
  void renew(Exchange exchange, byte[] body) {
    Request request = Request.read(body, false);
    answer(exchange, () -> weir.renew(request.reservation));
  }

  private void answer(Exchange exchange, Supplier<CompletionStage<Settlement>> work) {
    exchange.answerWhenDone(guarded.begin(work), Settlements::write);
  }

  private static void write(Json out, Settlement settlement) {
    if (settlement == Settlement.UNKNOWN) {
      throw HttpProblem.notFound("this is no reservation made here");
    }
    if (settlement == Settlement.UNAVAILABLE) {
      throw HttpProblem.unavailable("the store is away; try again in a second");
    }
    out.open().field(SETTLED).flag(settlement == Settlement.DONE).close();
  }

  /** What such a request says. */
  private record Request(String reservation, long cost) {
    static Request read(byte[] body, boolean withCost) {
      return JsonBody.read(body, in -> read(in, withCost));
    }

    private static Request read(JsonBody in, boolean withCost) throws IOException {
      @Nullable String reservation = null;
      long cost = -1;
      in.object();
      for (String name = in.next(); name != null; name = in.next()) {
        if (name.equals("reservation")) {
          reservation = in.text();
        } else if (withCost && name.equals("cost")) {
          cost = in.wholeNumber(Call.MAX_COST);
        } else {
          throw in.unknown(withCost ? List.of("reservation", "cost") : List.of("reservation"));
        }
      }
      if (reservation == null) {
        throw HttpProblem.badField("reservation", "reservation is missing");
      }
      if (withCost && cost < 0) {
        throw HttpProblem.badField("cost", "cost is missing; 0 gives all back");
      }
      return new Request(reservation, cost);
    }
  }
}
