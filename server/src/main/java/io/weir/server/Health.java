package io.weir.server;

import java.util.Locale;

/** Whether the process lives, and whether it wants traffic. */
final class Health {
  private static final byte[] STATUS = Json.name("status");

  /** How far the process is. */
  enum State {
    STARTING,
    READY,
    STOPPING;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private volatile State state = State.STARTING;

  void is(State now) {
    state = now;
  }

  boolean isReady() {
    return state == State.READY;
  }

  State state() {
    return state;
  }

  /** {@code GET /healthcheck}, as envoyproxy/ratelimit answers it. */
  void healthcheck(Exchange exchange, byte[] body) {
    boolean ready = isReady();
    exchange.answerPlain(ready ? 200 : 500, ready ? "OK" : "not ready");
  }

  /** {@code GET /healthz}: 200 for as long as there is somebody to answer. */
  void alive(Exchange exchange, byte[] body) {
    exchange.answer(exchange.json().open().field(STATUS).text("ok").close());
  }

  /** {@code GET /readyz}: 200 when traffic is welcome. */
  void ready(Exchange exchange, byte[] body) {
    State now = state;
    exchange.answer(
        now == State.READY ? 200 : 503,
        exchange.json().open().field(STATUS).text(now.word()).close());
  }
}
