package io.weir.server.front;

import io.weir.server.http.HttpExchange;
import io.weir.server.http.JsonWriter;
import java.util.Locale;

/** Whether the process lives, and whether it wants traffic. */
public final class Health {
  private static final byte[] STATUS = JsonWriter.name("status");

  /** How far the process is. */
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

  /** {@code GET /healthz}: 200 for as long as there is somebody to answer. */
  public void alive(HttpExchange exchange, byte[] body) {
    exchange.answer(exchange.json().open().field(STATUS).text("ok").close());
  }

  /** {@code GET /readyz}: 200 when traffic is welcome. */
  public void ready(HttpExchange exchange, byte[] body) {
    State now = state;
    exchange.answer(
        now == State.READY ? 200 : 503,
        exchange.json().open().field(STATUS).text(now.word()).close());
  }
}
