package io.weir.server.check;

import io.weir.Decision;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.base.Micros;
import io.weir.http.RateLimitResponses;
import io.weir.rule.RuleSet;
import io.weir.server.http.JsonWriter;
import java.util.List;

/** Writes decisions in the JSON format of the check API. */
public final class DecisionWriter {
  private static final byte[] ALLOWED = JsonWriter.name("allowed");
  private static final byte[] RULE = JsonWriter.name("rule");
  private static final byte[] REASON = JsonWriter.name("reason");
  private static final byte[] KIND = JsonWriter.name("kind");
  private static final byte[] LIMIT = JsonWriter.name("limit");
  private static final byte[] REMAINING = JsonWriter.name("remaining");
  private static final byte[] RESET_MS = JsonWriter.name("reset_ms");
  private static final byte[] RETRY_AFTER_MS = JsonWriter.name("retry_after_ms");
  private static final byte[] DELAY_MS = JsonWriter.name("delay_ms");
  private static final byte[] DEGRADED = JsonWriter.name("degraded");
  private static final byte[] RULES = JsonWriter.name("rules");
  private static final byte[] ID = JsonWriter.name("id");
  private static final byte[] NAME = JsonWriter.name("name");
  private static final byte[] MODE = JsonWriter.name("mode");
  private static final byte[] OVER = JsonWriter.name("over");
  private static final byte[] RESERVATION = JsonWriter.name("reservation");

  private static final long NEVER = Micros.NEVER;

  /** The retry time of a call that the load guard refused. */
  private static final long GUARD_WAIT_MS = 1000;

  private DecisionWriter() {}

  /** Writes a decision with all its limits, for the service that asked. */
  public static void write(JsonWriter out, Decision decision) {
    write(out, decision, waitMicros(decision));
  }

  /** Writes a decision without the rules that callers do not see. */
  static void writeVisible(JsonWriter out, Decision decision, RuleSet rules) {
    write(out, RateLimitResponses.visible(decision, rules), waitMicros(decision));
  }

  /** How long a refused call has to wait; without a deciding limit, until the end of a block. */
  private static long waitMicros(Decision decision) {
    LimitStatus deciding = decision.deciding().orElse(null);
    return deciding == null
        ? decision.retryAfter().map(Micros::of).orElse(NEVER)
        : deciding.retryAfterMicros();
  }

  private static void write(JsonWriter out, Decision decision, long waitMicros) {
    LimitStatus deciding = decision.deciding().orElse(null);
    boolean allowed = decision.allowed();
    out.open();
    out.field(ALLOWED).flag(allowed);
    out.field(RULE).text(decision.rule().orElse(null));
    out.field(REASON).text(decision.reason().id());
    if (deciding == null) {
      noLimit(out);
    } else {
      limit(out, deciding);
    }
    out.field(RETRY_AFTER_MS);
    millis(out, allowed ? 0 : Micros.waitMillis(waitMicros));
    out.field(DELAY_MS).number(allowed ? longestDelay(decision.statuses()) : 0);
    out.field(DEGRADED).flag(decision.degraded());
    out.field(RULES).openList();
    List<LimitStatus> statuses = decision.statuses();
    for (int i = 0; i < statuses.size(); i++) {
      entry(out, statuses.get(i));
    }
    out.closeList();
    List<String> over = decision.over();
    if (!over.isEmpty()) {
      out.texts(OVER, over);
    }
    decision.reservation().ifPresent(token -> out.field(RESERVATION).text(token));
    out.close();
  }

  /** The decision for a call of a batch that the load guard refused. */
  static void writeUnavailable(JsonWriter out) {
    out.open();
    out.field(ALLOWED).flag(false);
    out.field(RULE).nullValue();
    out.field(REASON).text("unavailable");
    noLimit(out);
    out.field(RETRY_AFTER_MS).number(GUARD_WAIT_MS);
    out.field(DELAY_MS).number(0);
    out.field(DEGRADED).flag(false);
    out.field(RULES).openList().closeList();
    out.close();
  }

  /** One evaluated limit. */
  static void entry(JsonWriter out, LimitStatus status) {
    out.open();
    out.field(ID).text(status.rule());
    out.field(NAME).text(status.name());
    out.field(KIND).text(status.limit().kind().id());
    out.field(LIMIT).number(status.limit().capacity());
    out.field(ALLOWED).flag(status.allowed());
    out.field(REMAINING).number(status.remaining());
    out.field(RESET_MS).number(Micros.toMillis(status.resetMicros()));
    out.field(RETRY_AFTER_MS);
    millis(out, Micros.waitMillis(status.retryAfterMicros()));
    out.field(MODE).text(status.mode().id());
    out.close();
  }

  private static void limit(JsonWriter out, LimitStatus deciding) {
    out.field(KIND).text(deciding.limit().kind().id());
    out.field(LIMIT).number(deciding.limit().capacity());
    out.field(REMAINING).number(deciding.remaining());
    out.field(RESET_MS).number(Micros.toMillis(deciding.resetMicros()));
  }

  private static void noLimit(JsonWriter out) {
    out.field(KIND).nullValue();
    out.field(LIMIT).nullValue();
    out.field(REMAINING).nullValue();
    out.field(RESET_MS).nullValue();
  }

  private static void millis(JsonWriter out, long millis) {
    if (millis == NEVER) {
      out.nullValue();
    } else {
      out.number(millis);
    }
  }

  private static long longestDelay(List<LimitStatus> statuses) {
    long longest = 0;
    for (int i = 0; i < statuses.size(); i++) {
      LimitStatus status = statuses.get(i);
      if (status.mode() == Mode.ENFORCE) {
        longest = Math.max(longest, Micros.toMillis(status.delayMicros()));
      }
    }
    return longest;
  }
}
