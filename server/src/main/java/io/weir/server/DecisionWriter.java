package io.weir.server;

import io.weir.Decision;
import io.weir.Mode;
import io.weir.Standing;
import io.weir.limit.Meter;
import java.util.List;

/** Writes decisions as the check API promises them. */
final class DecisionWriter {
  private static final byte[] ALLOWED = Json.name("allowed");
  private static final byte[] RULE = Json.name("rule");
  private static final byte[] REASON = Json.name("reason");
  private static final byte[] KIND = Json.name("kind");
  private static final byte[] LIMIT = Json.name("limit");
  private static final byte[] REMAINING = Json.name("remaining");
  private static final byte[] RESET_MS = Json.name("reset_ms");
  private static final byte[] RETRY_AFTER_MS = Json.name("retry_after_ms");
  private static final byte[] DELAY_MS = Json.name("delay_ms");
  private static final byte[] DEGRADED = Json.name("degraded");
  private static final byte[] RULES = Json.name("rules");
  private static final byte[] ID = Json.name("id");
  private static final byte[] NAME = Json.name("name");
  private static final byte[] MODE = Json.name("mode");
  private static final byte[] RESERVATION = Json.name("reservation");

  /** What a call is told to wait that met the guard. */
  private static final long GUARD_WAIT_MS = 1000;

  private DecisionWriter() {}

  static void write(Json out, Decision decision) {
    Standing deciding = decision.deciding().orElse(null);
    boolean allowed = decision.allowed();
    out.open();
    out.field(ALLOWED).flag(allowed);
    out.field(RULE).text(decision.rule().orElse(null));
    out.field(REASON).text(decision.reason().id());
    if (deciding == null) {
      noLimit(out);
      out.field(RETRY_AFTER_MS);
      millis(out, allowed ? 0 : Meter.NEVER);
    } else {
      limit(out, deciding);
      out.field(RETRY_AFTER_MS);
      millis(out, allowed ? 0 : deciding.retryAfterMillis());
    }
    out.field(DELAY_MS).number(allowed ? longestDelay(decision.standings()) : 0);
    out.field(DEGRADED).flag(decision.degraded());
    out.field(RULES).openList();
    List<Standing> standings = decision.standings();
    for (int i = 0; i < standings.size(); i++) {
      entry(out, standings.get(i));
    }
    out.closeList();
    decision.reservation().ifPresent(token -> out.field(RESERVATION).text(token));
    out.close();
  }

  /** The decision about a call in a batch for which the process has no room. */
  static void writeUnavailable(Json out) {
    out.open();
    out.field(ALLOWED).flag(false);
    out.field(RULE).nothing();
    out.field(REASON).text("unavailable");
    noLimit(out);
    out.field(RETRY_AFTER_MS).number(GUARD_WAIT_MS);
    out.field(DELAY_MS).number(0);
    out.field(DEGRADED).flag(false);
    out.field(RULES).openList().closeList();
    out.close();
  }

  /** One limit that was asked. */
  static void entry(Json out, Standing standing) {
    out.open();
    out.field(ID).text(standing.rule());
    out.field(NAME).text(standing.name());
    out.field(KIND).text(standing.limit().kind().id());
    out.field(LIMIT).number(standing.limit().capacity());
    out.field(ALLOWED).flag(standing.allowed());
    out.field(REMAINING).number(standing.remaining());
    out.field(RESET_MS).number(standing.resetMillis());
    out.field(RETRY_AFTER_MS);
    millis(out, standing.retryAfterMillis());
    out.field(MODE).text(standing.mode().id());
    out.close();
  }

  private static void limit(Json out, Standing deciding) {
    out.field(KIND).text(deciding.limit().kind().id());
    out.field(LIMIT).number(deciding.limit().capacity());
    out.field(REMAINING).number(deciding.remaining());
    out.field(RESET_MS).number(deciding.resetMillis());
  }

  private static void noLimit(Json out) {
    out.field(KIND).nothing();
    out.field(LIMIT).nothing();
    out.field(REMAINING).nothing();
    out.field(RESET_MS).nothing();
  }

  private static void millis(Json out, long millis) {
    if (millis == Meter.NEVER) {
      out.nothing();
    } else {
      out.number(millis);
    }
  }

  private static long longestDelay(List<Standing> standings) {
    long longest = 0;
    for (int i = 0; i < standings.size(); i++) {
      Standing standing = standings.get(i);
      if (standing.mode() == Mode.ENFORCE) {
        longest = Math.max(longest, standing.delayMillis());
      }
    }
    return longest;
  }
}
