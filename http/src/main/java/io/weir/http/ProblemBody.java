package io.weir.http;

import io.weir.Decision;
import io.weir.Reason;
import io.weir.rule.Rule;
import java.util.List;
import java.util.Optional;

/**
 * The body of a refusal: {@code application/problem+json} (RFC 9457), with the problem types of the
 * RateLimit draft. It contains rule names and numbers, and never a key.
 */
final class ProblemBody {
  private static final String TYPES = "https://iana.org/assignments/http-problem-types#";

  private final StringBuilder out = new StringBuilder(512).append('{');

  private ProblemBody() {}

  static String of(Decision decision, Optional<Rule> rule, RefusalReason refusal) {
    ProblemBody body = new ProblemBody();
    body.kindOfProblem(decision.reason(), refusal.status());
    body.text("detail", refusal.detail());
    body.text("code", code(decision.reason()));
    decision.rule().ifPresent(id -> body.text("rule", id));
    rule.ifPresent(known -> body.texts("limit_dim", known.key()));
    decision.deciding().ifPresent(status -> body.text("kind", status.limit().kind().id()));
    long wait = refusal.retryAfter();
    body.plain("retry_after_s", wait == RetryAfter.NEVER ? "null" : wait + "");
    if (decision.reason() == Reason.LIMITED) {
      body.texts("violated-policies", refusal.violated());
    }
    return body.out.append('}').toString();
  }

  private void kindOfProblem(Reason reason, int status) {
    switch (reason) {
      case LIMITED -> {
        text("type", TYPES + "quota-exceeded");
        text("title", "Request cannot be satisfied as assigned quota has been exceeded");
      }
      case UNAVAILABLE -> {
        text("type", TYPES + "temporary-reduced-capacity");
        text("title", "Request cannot be satisfied due to temporary server capacity constraints");
      }
      default -> {
        text("type", "about:blank");
        text("title", "Too Many Requests");
      }
    }
    plain("status", Integer.toString(status));
  }

  private static String code(Reason reason) {
    return switch (reason) {
      case LIMITED -> "RATE_LIMIT";
      case UNAVAILABLE -> "UNAVAILABLE";
      default -> "BLOCKED";
    };
  }

  private void text(String name, String value) {
    name(name);
    quoted(value);
  }

  private void texts(String name, List<String> values) {
    name(name);
    out.append('[');
    for (int i = 0; i < values.size(); i++) {
      if (i > 0) {
        out.append(',');
      }
      quoted(values.get(i));
    }
    out.append(']');
  }

  private void plain(String name, String value) {
    name(name);
    out.append(value);
  }

  private void name(String name) {
    if (out.length() > 1) {
      out.append(',');
    }
    quoted(name);
    out.append(':');
  }

  private void quoted(String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ' || c == 0x7f || Character.isSurrogate(c)) {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }
}
