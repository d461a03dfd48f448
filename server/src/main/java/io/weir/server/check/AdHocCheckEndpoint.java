package io.weir.server.check;

import io.weir.Algorithm;
import io.weir.Call;
import io.weir.LimitStatus;
import io.weir.base.Micros;
import io.weir.limit.Meter;
import io.weir.server.check.AdHocLimits.AdHocNumbers;
import io.weir.server.front.GuardedCalls;
import io.weir.server.http.HttpExchange;
import io.weir.server.http.HttpProblemException;
import io.weir.server.http.JsonReader;
import io.weir.server.http.JsonWriter;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The endpoint {@code POST /ratelimit/check}: a check by key and numbers, without rules. */
public final class AdHocCheckEndpoint {
  private static final List<String> KNOWN =
      List.of("key", "limit", "window_ms", "weight", "algorithm", "burst");
  private static final byte[] ALLOWED = JsonWriter.name("allowed");
  private static final byte[] REMAINING = JsonWriter.name("remaining");
  private static final byte[] RESET_MS = JsonWriter.name("reset_ms");
  private static final byte[] RETRY_AFTER_S = JsonWriter.name("retry_after_s");

  private final AdHocLimits limits;
  private final GuardedCalls guarded;

  public AdHocCheckEndpoint(AdHocLimits limits, GuardedCalls guarded) {
    this.limits = limits;
    this.guarded = guarded;
  }

  public void check(HttpExchange exchange, byte[] body) {
    CheckRequest request = JsonReader.read(body, CheckRequest::read);
    exchange.answerWhenDone(
        guarded.begin(() -> limits.take(request.key, request.numbers, request.weight)),
        AdHocCheckEndpoint::write);
  }

  private static void write(JsonWriter out, LimitStatus status) {
    out.open();
    out.field(ALLOWED).flag(status.allowed());
    out.field(REMAINING).number(status.remaining());
    out.field(RESET_MS).number(Micros.toMillis(status.resetMicros()));
    out.field(RETRY_AFTER_S);
    long wait = Micros.waitMillis(status.retryAfterMicros());
    if (wait == Meter.NEVER) {
      out.nullValue();
    } else {
      out.number((wait + 999) / 1000);
    }
    out.close();
  }

  /** The body of such a request. */
  private record CheckRequest(String key, AdHocNumbers numbers, long weight) {
    static CheckRequest read(JsonReader in) throws IOException {
      @Nullable String key = null;
      Algorithm algorithm = Algorithm.SLIDING_WINDOW;
      long limit = -1;
      long window = -1;
      long weight = 1;
      long burst = -1;
      in.object();
      for (String name = in.next(); name != null; name = in.next()) {
        switch (name) {
          case "key" -> key = in.text();
          case "limit" -> limit = in.wholeNumber(Call.MAX_COST);
          case "window_ms" -> window = in.wholeNumber(Call.MAX_COST);
          case "weight" -> weight = in.wholeNumber(Call.MAX_COST);
          case "burst" -> burst = in.wholeNumber(Call.MAX_COST);
          case "algorithm" -> algorithm = algorithm(in);
          default -> throw in.unknownField(KNOWN);
        }
      }
      if (key == null) {
        throw missing("key");
      }
      if (limit < 0) {
        throw missing("limit");
      }
      if (window < 0) {
        throw missing("window_ms");
      }
      if (window == 0) {
        throw HttpProblemException.badField("window_ms", "window_ms must be at least 1");
      }
      if (burst >= 0 && algorithm != Algorithm.TOKEN_BUCKET) {
        throw HttpProblemException.badField("burst", "burst does not apply to " + algorithm);
      }
      if (burst == 0 && limit > 0) {
        throw HttpProblemException.badField("burst", "burst must be at least 1");
      }
      return new CheckRequest(
          key, new AdHocNumbers(algorithm, limit, window, burst < 0 ? limit : burst), weight);
    }

    private static Algorithm algorithm(JsonReader in) throws IOException {
      try {
        return Algorithm.of(in.text());
      } catch (IllegalArgumentException e) {
        throw HttpProblemException.badField("algorithm", String.valueOf(e.getMessage()));
      }
    }

    private static HttpProblemException missing(String field) {
      return HttpProblemException.badField(field, field + " is missing");
    }
  }
}
