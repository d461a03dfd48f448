package io.weir.http;

import io.weir.Decision;
import io.weir.Mode;
import io.weir.Reason;
import io.weir.Standing;
import io.weir.rule.Rule;
import java.util.List;
import java.util.Optional;

/**
 * What a refused caller reads: {@code application/problem+json} (RFC 9457), with the problem types
 * of the RateLimit draft. Names rules and numbers, and never a key.
 */
final class ProblemBody {
  private static final String TYPES = "https://iana.org/assignments/http-problem-types#";

  private final StringBuilder out = new StringBuilder(512).append('{');

  private ProblemBody() {}

  /**
   * The body.
   *
   * @param retryAfter whole seconds, or {@link RetryAfter#NEVER}
   */
  static String of(Decision decision, int status, Optional<Rule> rule, long retryAfter) {
    ProblemBody body = new ProblemBody();
    body.kindOfProblem(decision.reason(), status);
    body.text("detail", detail(decision, retryAfter));
    body.text("code", code(decision.reason()));
    decision.rule().ifPresent(id -> body.text("rule", id));
    rule.ifPresent(known -> body.texts("limit_dim", known.key()));
    decision.deciding().ifPresent(standing -> body.text("kind", standing.limit().kind().id()));
    body.plain("retry_after_s", retryAfter == RetryAfter.NEVER ? "null" : retryAfter + "");
    if (decision.reason() == Reason.LIMITED) {
      body.texts("violated-policies", violated(decision));
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

  private static String detail(Decision decision, long retryAfter) {
    String when =
        retryAfter == RetryAfter.NEVER
            ? "; waiting does not help"
            : "; try again in " + retryAfter + " s";
    return switch (decision.reason()) {
      case LIMITED ->
          decision.deciding().map(ProblemBody::limit).orElse("a limit is reached") + when;
      case UNAVAILABLE -> "the limiter cannot decide this now" + when;
      default -> "the request lacks what rule " + decision.rule().orElse("") + " asks for";
    };
  }

  private static String limit(Standing standing) {
    String name = "the limit " + standing.name() + " of ";
    return switch (standing.limit().kind()) {
      case RATE -> name + standing.limit().capacity() + " is reached";
      case QUOTA -> name + standing.limit().capacity() + " a period is used up";
      case CONCURRENCY -> name + standing.limit().capacity() + " at once is reached";
    };
  }

  private static List<String> violated(Decision decision) {
    return decision.standings().stream()
        .filter(standing -> standing.mode() == Mode.ENFORCE && !standing.allowed())
        .map(Standing::name)
        .toList();
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
