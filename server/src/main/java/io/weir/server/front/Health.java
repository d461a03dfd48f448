package io.weir.server.front;

import io.weir.server.http.HttpExchange;
import io.weir.server.http.JsonWriter;
import java.util.Locale;

/** Liveness and readiness of the process. */
public final class Health {
  private static final byte[] STATUS = JsonWriter.name("status");

  /** The phase of the process. */
  public enum State {
    STARTING,
    READY,
    STOPPING;

    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private volatile State state = State.STARTING;

  public void set(State now) {
    state = now;
  }

  public boolean isReady() {
    return state == State.READY;
  }

  public State state() {
    return state;
  }

  /** {@code GET /healthcheck}, as envoyproxy/ratelimit answers it. */
  public void healthcheck(HttpExchange exchange, byte[] body) {
    boolean ready = isReady();
    exchange.answerPlain(ready ? 200 : 500, ready ? "OK" : "not ready");
  }

  /** {@code GET /healthz}: 200 while the process runs. */
  public void alive(HttpExchange exchange, byte[] body) {
    exchange.answer(exchange.json().open().field(STATUS).text("ok").close());
  }

  /** {@code GET /readyz}: 200 when the process is ready for traffic. */
  public void ready(HttpExchange exchange, byte[] body) {
    State now = state;
    exchange.answer(
        now == State.READY ? 200 : 503,
        exchange.json().open().field(STATUS).text(now.word()).close());
  }
}
